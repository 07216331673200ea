/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that lock and unlock 200,000 times a second in all, each a mutex of its own,
 * and one that they share for an instant after each batch.
 */
#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "player.h"

#define LOCKS_PER_SECOND 200000
#define BATCH_PERIOD (2 * MILLISECOND)

/* A cache line to each, so that they have nothing at all in common. */
static struct {
	_Alignas(64) pthread_mutex_t mutex;
	uint64_t value;
} shards[PLAYER_MAX_ROLES];

static struct logged_mutex total = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void count_up(struct worker *worker, uint64_t locks)
{
	for (uint64_t i = 0; i < locks; i++) {
		pthread_mutex_lock(&shards[worker->index].mutex);
		shards[worker->index].value++;
		pthread_mutex_unlock(&shards[worker->index].mutex);
	}
	worker->log.account->acquisitions += locks;
	worker->log.account->operations += locks;
}

static OUTLINED void add_to_total(struct worker *worker)
{
	struct ledger_entry *held = mutex_enter(worker, &total);

	compute_blocks(worker, 1);
	mutex_leave(&total, held);
}

static void count(struct worker *worker)
{
	uint64_t threads = worker->player->threads;
	uint64_t batch = LOCKS_PER_SECOND / threads * BATCH_PERIOD / SECOND;
	/* Not all at the same time. */
	uint64_t phase = worker->index * BATCH_PERIOD / threads;

	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + phase + turn * BATCH_PERIOD);
		count_up(worker, batch);
		add_to_total(worker);
	}
}

static int arrange(struct player *player)
{
	total.resource = player_resource(player, "mutex", &total.mutex, 0, false);
	for (uint64_t i = 0; i < player->options.contenders; i++) {
		pthread_mutex_init(&shards[i % PLAYER_MAX_ROLES].mutex, NULL);
		player_role(player, count, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
