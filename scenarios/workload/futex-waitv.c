/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a lock made of one word. Whoever wants it waits for
 * that word and for one by which all may be told to give up, with one system call.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "player.h"

/* Not in the headers of before Linux 5.16. */
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#define WORD_OF_32 (2 | FUTEX_PRIVATE_FLAG)

struct awaited {
	uint64_t value;
	uint64_t address;
	uint32_t flags;
	uint32_t reserved;
};

enum { FREE, TAKEN, WANTED }; /* WANTED: taken, and somebody may sleep */

static _Atomic uint32_t canceled;

static struct {
	_Atomic uint32_t word;
	uint32_t resource;
} surface;

static void await_release(void)
{
	struct awaited words[] = {
		{ .value = 0, .address = (uintptr_t)&canceled, .flags = WORD_OF_32 },
		{ .value = WANTED, .address = (uintptr_t)&surface.word, .flags = WORD_OF_32 },
	};

	syscall(SYS_futex_waitv, words, 2, 0, NULL, 0);
}

static OUTLINED void take(void)
{
	uint32_t seen = FREE;

	if (atomic_compare_exchange_strong(&surface.word, &seen, TAKEN))
		return;
	while (atomic_exchange(&surface.word, WANTED) != FREE)
		await_release();
}

static OUTLINED void let_go(void)
{
	if (atomic_exchange(&surface.word, FREE) == WANTED)
		syscall(SYS_futex, &surface.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static OUTLINED struct ledger_entry *enter(struct worker *worker)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, surface.resource, clock_ns());
	uint64_t now;

	take();
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, surface.resource, now);
}

static OUTLINED void leave(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	let_go();
}

static OUTLINED void present_frame(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = enter(worker);

	sleep_ns(worker, ns);
	leave(held);
}

static OUTLINED void draw_layer(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = enter(worker);

	compute_ns(worker, ns);
	leave(held);
}

static int arrange(struct player *player)
{
	surface.resource = player_resource(player, "futex", (void *)&surface.word, 0, false);
	convoy_add(player, &(struct convoy){
		.keep = present_frame, .elsewhere = sleep_ns, .visit = draw_layer,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
