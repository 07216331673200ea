/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread holds a mutex that checks for errors, by turns computing and asleep.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "mutex_make.h"
#include "player.h"

static struct logged_mutex books;

/* A fifth of each turn is computing. */
#define TURNS 8

static OUTLINED void work_and_sleep(struct worker *worker, uint64_t ns)
{
	uint64_t turn = ns / TURNS;

	for (int i = 0; i < TURNS; i++) {
		compute_ns(worker, turn / 5);
		sleep_ns(worker, turn * 4 / 5);
	}
}

static OUTLINED void reconcile_books(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &books);

	work_and_sleep(worker, ns);
	mutex_leave(&books, held);
}

static OUTLINED void post_entry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &books);

	compute_ns(worker, ns);
	mutex_leave(&books, held);
}

static int arrange(struct player *player)
{
	if (mutex_make(player, &books, &(struct mutex_nature){ .type = PTHREAD_MUTEX_ERRORCHECK }) != 0)
		return -1;
	convoy_add(player, &(struct convoy){ .keep = reconcile_books, .elsewhere = work_and_sleep, .visit = post_entry });
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
