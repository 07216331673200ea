/* SPDX-License-Identifier: Apache-2.0 */
/* One thread sleeps while it holds a mutex that the others need for microseconds. */
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex table = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void hold_sleeping(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &table);

	sleep_ns(worker, ns);
	mutex_leave(&table, held);
}

static OUTLINED void update_entry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &table);

	compute_ns(worker, ns);
	mutex_leave(&table, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;

	table.resource = player_resource(player, "mutex", &table.mutex, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 6 / 5,
		.acts = 1,
		.act_ns = { hold / 50 },
		.lead_ns = hold / 50,
		.delay_ns = hold / 50,
		.spacing_ns = hold / 1000,
		.meet_ns = hold * 11 / 10,
		.brief_ns = 2 * MICROSECOND,
		.brief_step_ns = 6 * MICROSECOND,
		.brief_max_ns = 20 * MICROSECOND,
		.visit = update_entry,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = hold_sleeping, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
