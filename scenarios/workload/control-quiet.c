/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do next to nothing, each now and then under a mutex. */
#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex state = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void idle(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		struct ledger_entry *held;

		sleep_ns(worker, (80 + 15 * worker->index) * MILLISECOND);
		held = mutex_enter(worker, &state);
		compute_blocks(worker, 5);
		mutex_leave(&state, held);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	state.resource = player_resource(player, "mutex", &state.mutex, 0, false);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, idle, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
