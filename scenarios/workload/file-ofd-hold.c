/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two records of one file, each locked by open file description. One thread sleeps
 * while it holds the first, and those that want it pass it on to each other
 * afterwards. All the while other threads take turns with the second record, so that
 * locks of the file are let go often and by innocents.
 */
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "filelock.h"
#include "player.h"

#define RECORD 512
#define TURNS 3 /* threads that want the second record */

static struct logged_filelock balance = { .style = FILELOCK_OFD, .start = 0, .length = RECORD };
static struct logged_filelock counter = { .style = FILELOCK_OFD, .start = RECORD, .length = RECORD };

static OUTLINED void migrate_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &balance);

	sleep_ns(worker, ns);
	filelock_leave(&balance, held);
}

static OUTLINED void update_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &balance);

	compute_ns(worker, ns);
	filelock_leave(&balance, held);
}

static OUTLINED void count_access(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &counter);

	compute_ns(worker, ns);
	filelock_leave(&counter, held);
}

/* All come at the same time, so that two of them wait. */
static void count_accesses(struct worker *worker)
{
	uint64_t period = worker->player->options.hold_ns / 4;

	for (uint64_t turn = 0;; turn++) {
		sleep_until(worker, worker->start_ns + turn * period);
		if (worker_stopped(worker))
			return;
		count_access(worker, period / 20);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	balance.file = counter.file = filelock_file();
	if (balance.file < 0 || filelock_add(player, &balance) != 0 || filelock_add(player, &counter) != 0)
		return -1;
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3,
		.delay_ns = 2 * brief,
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = update_record,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = migrate_record, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	for (int i = 0; i < TURNS; i++)
		player_role(player, count_accesses, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
