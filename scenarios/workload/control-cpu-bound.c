/* SPDX-License-Identifier: Apache-2.0 */
/* One thread that computes without pause beside others that do a little now and then. */
#include "clock.h"
#include "compute.h"
#include "player.h"

#define LITTLE MILLISECOND
#define PERIOD (12 * MILLISECOND)

static void sum_series(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		compute_ns(worker, MILLISECOND);
		worker_done(worker);
	}
}

static void sample_series(struct worker *worker)
{
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * PERIOD);
		compute_ns(worker, LITTLE);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	player_role(player, sum_series, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, sample_series, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
