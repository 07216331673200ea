/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a robust mutex, whose word is the id of its owner.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "mutex_make.h"
#include "player.h"

static struct logged_mutex journal;

static OUTLINED void commit_journal(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &journal);

	sleep_ns(worker, ns);
	mutex_leave(&journal, held);
}

static OUTLINED void append_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &journal);

	compute_ns(worker, ns);
	mutex_leave(&journal, held);
}

static int arrange(struct player *player)
{
	if (mutex_make(player, &journal, &(struct mutex_nature){ .robust = PTHREAD_MUTEX_ROBUST }) != 0)
		return -1;
	convoy_add(player, &(struct convoy){ .keep = commit_journal, .elsewhere = sleep_ns, .visit = append_record });
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
