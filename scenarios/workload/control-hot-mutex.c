/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that all want one mutex nearly all the time and hold it alike: the lock is
 * too hot, and no thread is to blame for that.
 */
#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex index_lock = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void update_index(struct worker *worker)
{
	struct ledger_entry *held = mutex_enter(worker, &index_lock);

	compute_blocks(worker, 50);
	sleep_ns(worker, MILLISECOND);
	mutex_leave(&index_lock, held);
}

static void work(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		sleep_ns(worker, 500 * MICROSECOND);
		update_index(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	index_lock.resource = player_resource(player, "mutex", &index_lock.mutex, 0, false);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, work, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
