/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a lock of this program's own make: one word and
 * the futex system call, no owner to be read anywhere.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "player.h"

enum { FREE, TAKEN, WANTED }; /* WANTED: taken, and somebody may sleep */

static struct {
	_Atomic uint32_t word;
	uint32_t resource;
	/* Where a pthread mutex names its owner. */
	uint32_t takings;
} ring;

static OUTLINED void take(void)
{
	uint32_t seen = FREE;

	if (atomic_compare_exchange_strong(&ring.word, &seen, TAKEN))
		return;
	while (atomic_exchange(&ring.word, WANTED) != FREE)
		syscall(SYS_futex, &ring.word, FUTEX_WAIT_PRIVATE, WANTED, NULL, NULL, 0);
}

static OUTLINED void let_go(void)
{
	if (atomic_exchange(&ring.word, FREE) == WANTED)
		syscall(SYS_futex, &ring.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static OUTLINED struct ledger_entry *enter(struct worker *worker)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, ring.resource, clock_ns());
	uint64_t now;

	take();
	now = clock_ns();
	ledger_end(wait, now);
	ring.takings++;
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, ring.resource, now);
}

static OUTLINED void leave(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	let_go();
}

static OUTLINED void drain_ring(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = enter(worker);

	sleep_ns(worker, ns);
	leave(held);
}

static OUTLINED void push_item(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = enter(worker);

	compute_ns(worker, ns);
	leave(held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold / 100;

	ring.resource = player_resource(player, "futex", (void *)&ring.word, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 2 },
		.lead_ns = brief / 2,
		.delay_ns = brief / 2,
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = push_item,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = drain_ring, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
