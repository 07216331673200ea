/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that start another, which sleeps of its own accord and ends, and wait for its
 * end, again and again.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

static uint32_t end; /* resource: that the other ends */

static void *doze(void *argument)
{
	struct worker *worker = argument;

	sleep_ns(worker, (10 + 5 * worker->index) * MILLISECOND);
	return NULL;
}

static OUTLINED void await_end(struct worker *worker, pthread_t other)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, end, clock_ns());

	pthread_join(other, NULL);
	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
}

static void start_and_join(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		pthread_t other;

		if (pthread_create(&other, NULL, doze, worker) != 0)
			return;
		await_end(worker, other);
		compute_blocks(worker, 50);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	end = player_resource(player, "join", NULL, 0, true);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, start_and_join, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
