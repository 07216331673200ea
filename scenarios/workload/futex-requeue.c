/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock and an event of this program's own make, each a word: whoever waits for the
 * event is moved to the lock's queue when the event comes, asleep all the time, and one
 * alone is woken. It keeps the lock while it sleeps.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "muster.h"
#include "player.h"

enum { FREE, TAKEN, WANTED }; /* WANTED: taken, and somebody may sleep */

static struct {
	_Atomic uint32_t word;
	uint32_t resource;
} lock;

static _Atomic uint32_t events;
static struct muster_call call;

/* Whoever may have slept cannot know that nobody else does. */
static void take_after_sleep(void)
{
	while (atomic_exchange(&lock.word, WANTED) != FREE)
		syscall(SYS_futex, &lock.word, FUTEX_WAIT_PRIVATE, WANTED, NULL, NULL, 0);
}

static OUTLINED void take(void)
{
	uint32_t seen = FREE;

	if (!atomic_compare_exchange_strong(&lock.word, &seen, TAKEN))
		take_after_sleep();
}

static OUTLINED void let_go(void)
{
	if (atomic_exchange(&lock.word, FREE) == WANTED)
		syscall(SYS_futex, &lock.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static OUTLINED struct ledger_entry *enter(struct worker *worker)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, lock.resource, clock_ns());
	uint64_t now;

	take();
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, lock.resource, now);
}

static OUTLINED void leave(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	let_go();
}

static OUTLINED void await_event(void)
{
	uint32_t seen = atomic_load(&events);

	let_go();
	syscall(SYS_futex, &events, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	take_after_sleep();
}

static OUTLINED void raise_event(void)
{
	uint32_t now = atomic_fetch_add(&events, 1) + 1;

	syscall(SYS_futex, &events, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)(uintptr_t)INT_MAX, &lock.word, now);
}

static OUTLINED void publish_epoch(struct worker *worker, uint64_t ns)
{
	sleep_ns(worker, ns);
}

static OUTLINED void enter_epoch(struct worker *worker, uint64_t ns)
{
	compute_ns(worker, ns);
}

static int arrange(struct player *player)
{
	muster_add(player, &(struct muster){
		.call = &call,
		.coming = player_resource(player, "futex", (void *)&events, 0, true),
		.lock = lock.resource = player_resource(player, "futex", (void *)&lock.word, 0, false),
		.enter = enter,
		.leave = leave,
		.await_call = await_event,
		.wake_all = raise_event,
		.keep = publish_epoch,
		.act = enter_epoch,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
