/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that are asleep on a condition variable until a thread that goes by its timer
 * starts the next frame for all of them at once: each then takes the mutex in turn.
 */
#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"

#define FRAME (16 * MILLISECOND)

static struct logged_mutex pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t next_frame = PTHREAD_COND_INITIALIZER;
static uint32_t coming; /* resource: that the next frame comes */
static uint64_t frame;

static OUTLINED void wait_for_broadcast(void)
{
	pthread_cond_wait(&next_frame, &pool.mutex);
}

/* While it waits it does not hold the mutex, which it is given back at the end. */
static struct ledger_entry *await_frame(struct worker *worker, struct ledger_entry *held)
{
	uint64_t now = clock_ns();
	struct ledger_entry *wait;

	ledger_end(held, now);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, coming, now);
	wait_for_broadcast();
	now = clock_ns();
	ledger_end(wait, now);
	return ledger_begin(&worker->log, LEDGER_HOLDING, pool.resource, now);
}

static uint64_t join_frame(struct worker *worker, uint64_t last)
{
	struct ledger_entry *held = mutex_enter(worker, &pool);
	uint64_t current;

	while (frame == last && !worker_stopped(worker))
		held = await_frame(worker, held);
	current = frame;
	mutex_leave(&pool, held);
	return current;
}

static void draw(struct worker *worker)
{
	uint64_t last = 0;

	while (!worker_stopped(worker)) {
		last = join_frame(worker, last);
		compute_blocks(worker, 400);
		worker_done(worker);
	}
}

static OUTLINED void start_frame(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, coming);
	struct ledger_entry *held = mutex_enter(worker, &pool);

	frame++;
	mutex_leave(&pool, held);
	work_end(work);
	pthread_cond_broadcast(&next_frame);
}

static void keep_time(struct worker *worker)
{
	for (uint64_t turn = 1;; turn++) {
		sleep_until(worker, worker->start_ns + turn * FRAME);
		if (worker_stopped(worker))
			return;
		start_frame(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	pool.resource = player_resource(player, "mutex", &pool.mutex, 0, false);
	coming = player_resource(player, "condvar", &next_frame, 0, true);
	player_role(player, keep_time, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, draw, NULL);
	return 0;
}

/* A condition variable goes on waiting when a signal interrupts it. */
static void wake(void)
{
	pthread_mutex_lock(&pool.mutex);
	pthread_cond_broadcast(&next_frame);
	pthread_mutex_unlock(&pool.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.control = true, .arrange = arrange, .wake = wake,
	});
}
