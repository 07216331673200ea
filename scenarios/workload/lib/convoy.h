/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A crowd whose lock is kept for long by one thread, and innocents who pass it on.
 *
 * Where a lock may be taken by whoever comes first (all mutexes of the C library but
 * those that inherit priority), one of them comes next and takes it many times in a
 * row, as for one entry of a table after the other: each time it lets go, one of those
 * who sleep is woken, finds the lock taken and goes to the end of the queue. So the
 * long waits are ended by one innocent, and the keeper ends one.
 *
 * Where a lock is handed over in turn, the others need it for longer, and each ends a
 * longer wait than the one before.
 */
#ifndef CONVOY_H
#define CONVOY_H

#include <stdbool.h>
#include <stdint.h>

struct player;
struct worker;

struct convoy {
	/* Takes the lock and keeps it for a span. */
	void (*keep)(struct worker *worker, uint64_t ns);
	/* Spends the span as keep does, without the lock. */
	void (*elsewhere)(struct worker *worker, uint64_t ns);
	/* Takes the lock, computes and lets it go. */
	void (*visit)(struct worker *worker, uint64_t ns);
	bool in_turn; /* the lock is handed over */
};

/* For arrange(): adds the keeper, the contenders and, if not in turn, one more. */
void convoy_add(struct player *player, const struct convoy *convoy);

#endif
