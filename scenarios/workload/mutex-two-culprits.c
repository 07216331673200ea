/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads sleep while they hold a mutex, one after the other. Of what the others
 * wait, 70 % is due to the first and 30 % to the second.
 */
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex store = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void write_snapshot(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &store);

	sleep_ns(worker, ns);
	mutex_leave(&store, held);
}

static OUTLINED void trim_journal(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &store);

	sleep_ns(worker, ns);
	mutex_leave(&store, held);
}

static OUTLINED void update_entry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &store);

	compute_ns(worker, ns);
	mutex_leave(&store, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper more, less;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold / 100;
	uint64_t delay = hold / 50, spacing = brief / 3;
	/* The others come late by this, on average, and wait for the rest of each hold. */
	uint64_t late = delay + spacing * (player->options.contenders + 1) / 2;
	uint64_t longer = (hold - 2 * late) * 7 / 10 + late;
	uint64_t rest = hold / 10 + (player->options.contenders + 2) * brief;

	store.resource = player_resource(player, "mutex", &store.mutex, 0, false);
	crowd = (struct crowd){
		.period_ns = hold + 2 * rest,
		.acts = 2,
		.act_ns = { brief / 2, longer + rest },
		.lead_ns = brief / 2,
		.delay_ns = delay,
		.spacing_ns = spacing,
		.brief_ns = brief,
		.visit = update_entry,
	};
	more = (struct crowd_keeper){
		.crowd = &crowd, .act = 0, .hold_ns = longer, .keep = write_snapshot, .elsewhere = sleep_ns,
	};
	less = (struct crowd_keeper){
		.crowd = &crowd, .act = 1, .hold_ns = hold - longer, .keep = trim_journal, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &more);
	crowd_add_keeper(player, &less);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
