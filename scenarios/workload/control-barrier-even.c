/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that meet at a barrier. In each round another of them has the most to do, so
 * that all wait for all alike.
 */
#include <pthread.h>

#include "clock.h"
#include "compute.h"
#include "pipe.h"
#include "player.h"

#define REST (4 * MILLISECOND)
#define SHARE (300 * MICROSECOND)
#define LARGE_SHARE (2 * MILLISECOND)

static pthread_barrier_t meeting;
static uint32_t all; /* resource: that all have come */
static bool over;

static OUTLINED int meet(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, all, clock_ns());
	int result = pthread_barrier_wait(&meeting);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return result;
}

static OUTLINED void solve_block(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, all);

	compute_ns(worker, ns);
	work_end(work);
}

/* The barrier goes on waiting when a signal interrupts it: all must leave together. */
static bool agree_to_go_on(struct worker *worker)
{
	if (meet(worker) == PTHREAD_BARRIER_SERIAL_THREAD)
		over = worker_stopped(worker);
	meet(worker);
	return !over;
}

static void iterate(struct worker *worker)
{
	unsigned int threads = worker->player->threads;

	for (uint64_t round = 0;; round++) {
		sleep_ns(worker, REST);
		solve_block(worker, round % threads == worker->index ? LARGE_SHARE : SHARE);
		worker_done(worker);
		if (!agree_to_go_on(worker))
			return;
	}
}

static int arrange(struct player *player)
{
	unsigned int count = (unsigned int)player->options.contenders;

	all = player_resource(player, "barrier", &meeting, 0, true);
	for (unsigned int i = 0; i < count; i++)
		player_role(player, iterate, NULL);
	return pthread_barrier_init(&meeting, NULL, count);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
