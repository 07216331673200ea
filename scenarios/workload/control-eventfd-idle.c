/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are idle in read(2) of an eventfd, and a timer that counts it up. */
#include "clock.h"
#include "compute.h"
#include "counter.h"
#include "pipe.h"
#include "player.h"

#define PERIOD (15 * MILLISECOND)

static struct logged_counter jobs;

static void serve(struct worker *worker)
{
	while (!worker_stopped(worker) && counter_take(worker, &jobs)) {
		compute_blocks(worker, 300);
		worker_done(worker);
	}
}

static OUTLINED void post_job(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, jobs.resource);

	compute_blocks(worker, 5);
	work_end(work);
	counter_give(worker, &jobs, 1);
}

static void keep_time(struct worker *worker)
{
	for (uint64_t turn = 1;; turn++) {
		sleep_until(worker, worker->start_ns + turn * PERIOD);
		if (worker_stopped(worker))
			return;
		post_job(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	if (counter_make(player, &jobs) != 0)
		return -1;
	player_role(player, keep_time, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, serve, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
