/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that sleep of their own accord, each twice as long as the one before. */
#include "clock.h"
#include "compute.h"
#include "player.h"

static void doze(struct worker *worker)
{
	uint64_t span = MILLISECOND << (worker->index % 10);

	while (!worker_stopped(worker)) {
		sleep_ns(worker, span);
		compute_blocks(worker, 20);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, doze, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
