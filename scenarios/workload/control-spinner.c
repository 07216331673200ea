/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that does not sleep while it waits but looks again and again, until another
 * that goes by its timer has something for it, beside threads that share a spin lock for
 * an instant each.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define PERIOD (6 * MILLISECOND)
#define REST (2 * MILLISECOND)

static _Atomic uint64_t posted;
static pthread_spinlock_t sum_lock;
static uint64_t sum;

static OUTLINED void look_again(struct worker *worker, uint64_t last)
{
	while (atomic_load(&posted) == last && !worker_stopped(worker))
		compute_blocks(worker, 1);
}

static void poll_busily(struct worker *worker)
{
	for (uint64_t last = 0; !worker_stopped(worker); last = atomic_load(&posted)) {
		look_again(worker, last);
		sleep_ns(worker, REST);
		worker_done(worker);
	}
}

static void post(struct worker *worker)
{
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * PERIOD);
		atomic_fetch_add(&posted, 1);
		worker_done(worker);
	}
}

static OUTLINED void add_up(struct worker *worker)
{
	pthread_spin_lock(&sum_lock);
	sum += worker->digest;
	pthread_spin_unlock(&sum_lock);
	worker->log.account->acquisitions++;
}

static void count(struct worker *worker)
{
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * MILLISECOND);
		compute_blocks(worker, 20);
		add_up(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	player_role(player, poll_busily, NULL);
	player_role(player, post, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, count, NULL);
	return pthread_spin_init(&sum_lock, PTHREAD_PROCESS_PRIVATE);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
