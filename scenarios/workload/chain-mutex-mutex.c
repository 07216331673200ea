/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of a table queue up for its mutex, whose holder waits for the mutex of the
 * log, in which another thread sleeps. The writers come before the holder of theirs
 * has to wait, so each of them waits for longer than it does.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

static struct logged_mutex table = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_mutex journal = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void rotate_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &journal);

	sleep_ns(worker, ns);
	mutex_leave(&journal, held);
}

/* The same with the sleep outside the mutex. */
static OUTLINED void prepare_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &journal);

	compute_ns(worker, ns / 100);
	mutex_leave(&journal, held);
	sleep_ns(worker, ns - ns / 100);
}

static OUTLINED void commit_batch(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *rows = mutex_enter(worker, &table);
	struct ledger_entry *log;

	compute_ns(worker, ns);
	log = mutex_enter(worker, &journal);
	compute_ns(worker, ns / 10);
	mutex_leave(&journal, log);
	mutex_leave(&table, rows);
}

static OUTLINED void insert_row(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &table);

	compute_ns(worker, ns);
	mutex_leave(&table, held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t writers = player->options.contenders;
	uint64_t period = hold * 5 / 4 + (writers + 2) * hold / 50;

	table.resource = player_resource(player, "mutex", &table.mutex, 0, false);
	journal.resource = player_resource(player, "mutex", &journal.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = rotate_segment, .twin = prepare_segment,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 50, .span_ns = hold / 25, .act = commit_batch,
	}, "last-waker");
	for (uint64_t i = 0; i < writers; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold * 3 / 100 + i * hold / 400, .span_ns = hold / 50,
			.act = insert_row,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
