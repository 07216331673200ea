/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event of this program's own make: one word and the futex system call. Who sets it
 * looks first whether anybody sleeps and computes for a while before it sets it; those
 * who come in between are never woken, though the word is no longer what they sleep
 * for. In the twin it looks afterwards. Once, at a quarter of the run.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"
#include "turns.h"

#define COUNT_PERIOD (8 * MILLISECOND)
#define LOOK_PERIOD (50 * MILLISECOND)

static struct {
	_Atomic uint32_t done;
	_Atomic uint32_t sleepers;
	uint32_t resource;
} batch;
static struct logged_mutex counters = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static uint64_t turning_point(const struct worker *worker)
{
	return worker->start_ns + worker->player->options.duration_ns / 4;
}

static void wake_all(void)
{
	syscall(SYS_futex, &batch.done, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* It owes the others its wake-up until they have it. */
static OUTLINED void finish_batch(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, batch.resource);
	bool wanted = atomic_load(&batch.sleepers) > 0;

	compute_ns(worker, ns);
	atomic_store(&batch.done, 1);
	if (!worker_faulty(worker))
		wanted = atomic_load(&batch.sleepers) > 0;
	if (!wanted)
		return;
	wake_all();
	work_end(work);
}

static OUTLINED void make_item(struct worker *worker)
{
	compute_blocks(worker, 200);
}

static void produce(struct worker *worker)
{
	bool finished = false;

	for (uint64_t turn = 1;; turn++) {
		sleep_until(worker, worker->start_ns + turn * LOOK_PERIOD);
		if (worker_stopped(worker))
			return;
		make_item(worker);
		if (!finished && clock_ns() >= turning_point(worker)) {
			finish_batch(worker, worker->player->options.hold_ns);
			finished = true;
		}
		worker_done(worker);
	}
}

static OUTLINED void await_batch(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, batch.resource, clock_ns());

	atomic_fetch_add(&batch.sleepers, 1);
	while (!atomic_load(&batch.done) && !worker_stopped(worker))
		syscall(SYS_futex, &batch.done, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_fetch_sub(&batch.sleepers, 1);
	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
}

/* They come when the batch is being finished, and have something else to do before and after. */
static void consume(struct worker *worker)
{
	uint64_t hold = worker->player->options.hold_ns;
	bool waited = false;

	for (uint64_t turn = 1; !worker_stopped(worker); turn++) {
		uint64_t next = worker->start_ns + turn * LOOK_PERIOD;

		sleep_until(worker, next + hold / 2);
		make_item(worker);
		if (!waited && next >= turning_point(worker)) {
			await_batch(worker);
			waited = true;
		}
		worker_done(worker);
	}
}

static OUTLINED void count_event(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &counters);

	compute_ns(worker, ns);
	mutex_leave(&counters, held);
}

static void add_company(struct player *player)
{
	for (int i = 0; i < 3; i++) {
		struct turns turns = {
			.period_ns = COUNT_PERIOD, .phase_ns = i * 50 * MICROSECOND, .span_ns = MILLISECOND / 4,
			.act = count_event,
		};

		if (i == 1)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
}

static int arrange(struct player *player)
{
	batch.resource = player_resource(player, "futex", (void *)&batch.done, 0, true);
	counters.resource = player_resource(player, "mutex", &counters.mutex, 0, false);
	player_culprit(player, produce, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, consume, NULL);
	add_company(player);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake_all });
}
