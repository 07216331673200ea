/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that are asleep on a condition variable nearly all the time, and a thread
 * that hands one of them a little work whenever its timer says so.
 */
#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"

#define JOB_PERIOD (20 * MILLISECOND)
#define JOB_BLOCKS 300

static struct logged_mutex pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t work_came = PTHREAD_COND_INITIALIZER;
static uint32_t coming; /* resource: that work comes */
static unsigned int jobs;

static OUTLINED void wait_for_signal(void)
{
	pthread_cond_wait(&work_came, &pool.mutex);
}

/* While it waits it does not hold the mutex, which it is given back at the end. */
static struct ledger_entry *await_job(struct worker *worker, struct ledger_entry *held)
{
	uint64_t now = clock_ns();
	struct ledger_entry *wait;

	ledger_end(held, now);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, coming, now);
	wait_for_signal();
	now = clock_ns();
	ledger_end(wait, now);
	return ledger_begin(&worker->log, LEDGER_HOLDING, pool.resource, now);
}

/* Returns false if the run is over. */
static bool take_job(struct worker *worker)
{
	struct ledger_entry *held = mutex_enter(worker, &pool);
	bool taken;

	while (jobs == 0 && !worker_stopped(worker))
		held = await_job(worker, held);
	taken = jobs > 0;
	if (taken)
		jobs--;
	mutex_leave(&pool, held);
	return taken && !worker_stopped(worker);
}

static void serve(struct worker *worker)
{
	while (take_job(worker)) {
		compute_blocks(worker, JOB_BLOCKS);
		worker_done(worker);
	}
}

static OUTLINED void hand_out(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, coming);
	struct ledger_entry *held = mutex_enter(worker, &pool);

	jobs++;
	mutex_leave(&pool, held);
	work_end(work);
	pthread_cond_signal(&work_came);
}

static void keep_time(struct worker *worker)
{
	for (uint64_t turn = 1;; turn++) {
		sleep_until(worker, worker->start_ns + turn * JOB_PERIOD);
		if (worker_stopped(worker))
			return;
		hand_out(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	pool.resource = player_resource(player, "mutex", &pool.mutex, 0, false);
	coming = player_resource(player, "condvar", &work_came, 0, true);
	player_role(player, keep_time, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, serve, NULL);
	return 0;
}

/* A condition variable goes on waiting when a signal interrupts it. */
static void wake(void)
{
	pthread_mutex_lock(&pool.mutex);
	pthread_cond_broadcast(&work_came);
	pthread_mutex_unlock(&pool.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.control = true, .arrange = arrange, .wake = wake,
	});
}
