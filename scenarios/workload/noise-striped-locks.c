/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table with sixteen mutexes, each for a stripe of it. One thread goes through all
 * stripes and sleeps in each: none of the mutexes costs much, but that thread does.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

#define STRIPES 16
#define STEP (4 * MILLISECOND)

static struct logged_mutex stripes[STRIPES] = {
	[0 ... STRIPES - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

static OUTLINED void resize_stripe(struct worker *worker, struct logged_mutex *stripe, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, stripe);

	sleep_ns(worker, ns);
	mutex_leave(stripe, held);
}

static OUTLINED void look_up(struct worker *worker, struct logged_mutex *stripe)
{
	struct ledger_entry *held = mutex_enter(worker, stripe);

	compute_blocks(worker, 50);
	mutex_leave(stripe, held);
}

/* In the twin the sleep is outside the mutex. */
static OUTLINED void resize_table(struct worker *worker)
{
	uint64_t hold = worker->player->options.hold_ns;

	for (unsigned int i = 0; i < STRIPES && !worker_stopped(worker); i++) {
		resize_stripe(worker, &stripes[i], worker_faulty(worker) ? hold : 0);
		sleep_ns(worker, worker_faulty(worker) ? hold / 10 : hold * 11 / 10);
		worker_done(worker);
	}
}

static void maintain(struct worker *worker)
{
	while (!worker_stopped(worker))
		resize_table(worker);
}

/* Sixteen in some order that is another for each thread and each time. */
static void serve(struct worker *worker)
{
	uint64_t state = worker->index + 1;

	for (uint64_t step = 0;; step++) {
		sleep_until(worker, worker->start_ns + step * STEP + worker->index * 100 * MICROSECOND);
		if (worker_stopped(worker))
			return;
		state = state * 6364136223846793005u + 1442695040888963407u;
		look_up(worker, &stripes[state >> 60]);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	for (int i = 0; i < STRIPES; i++)
		stripes[i].resource = player_resource(player, "mutex", &stripes[i].mutex, 0, false);
	player_culprit(player, maintain, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, serve, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
