/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers wait on a condition variable for the next version of something. Who makes
 * it has to take the mutex of a registry first, in which another thread sleeps. Whom
 * the readers wait for, and who wakes them all, is the maker.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"
#include "turns.h"

static struct logged_mutex registry = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_mutex board = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t coming; /* resource: the next version */
static uint64_t version;

static OUTLINED void compact_registry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &registry);

	sleep_ns(worker, ns);
	mutex_leave(&registry, held);
}

/* The same with the sleep outside the mutex. */
static OUTLINED void inspect_registry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &registry);

	compute_ns(worker, ns / 100);
	mutex_leave(&registry, held);
	sleep_ns(worker, ns - ns / 100);
}

static OUTLINED void publish_version(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, coming);
	struct ledger_entry *held;

	compute_ns(worker, ns); /* by now the readers are there */
	held = mutex_enter(worker, &registry);
	compute_ns(worker, ns / 10);
	mutex_leave(&registry, held);
	held = mutex_enter(worker, &board);
	version++;
	mutex_leave(&board, held);
	work_end(work);
	pthread_cond_broadcast(&changed);
}

static OUTLINED void wait_for_signal(void)
{
	pthread_cond_wait(&changed, &board.mutex);
}

/* While it waits it does not hold the mutex, which it is given back at the end. */
static struct ledger_entry *await_change(struct worker *worker, struct ledger_entry *held)
{
	uint64_t now = clock_ns();
	struct ledger_entry *wait;

	ledger_end(held, now);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, coming, now);
	wait_for_signal();
	now = clock_ns();
	ledger_end(wait, now);
	return ledger_begin(&worker->log, LEDGER_HOLDING, board.resource, now);
}

static OUTLINED void follow_version(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &board);
	uint64_t seen = version;

	while (version == seen && !worker_stopped(worker))
		held = await_change(worker, held);
	mutex_leave(&board, held);
	compute_ns(worker, ns);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t period = hold * 3 / 2;

	registry.resource = player_resource(player, "mutex", &registry.mutex, 0, false);
	board.resource = player_resource(player, "mutex", &board.mutex, 0, false);
	coming = player_resource(player, "condvar", &changed, 0, true);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = compact_registry, .twin = inspect_registry,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 50, .span_ns = hold / 20, .act = publish_version,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold * 3 / 100 + i * hold / 400, .span_ns = hold / 100,
			.act = follow_version,
		});
	return decoys_add(player);
}

/* A condition variable goes on waiting when a signal interrupts it. */
static void wake(void)
{
	pthread_mutex_lock(&board.mutex);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&board.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
