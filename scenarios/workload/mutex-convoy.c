/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a mutex, and the others, which hold it for a
 * millisecond or two, pass it on to each other afterwards: of those that wait, only
 * the first is woken by the thread at fault, and it waits least.
 */
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex queue = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void flush_queue(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &queue);

	sleep_ns(worker, ns);
	mutex_leave(&queue, held);
}

static OUTLINED void append_batch(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &queue);

	compute_ns(worker, ns);
	mutex_leave(&queue, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	queue.resource = player_resource(player, "mutex", &queue.mutex, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = 2 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = append_batch,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = flush_queue, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
