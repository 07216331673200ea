/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that muster under a lock in each round and are called, whereupon they contend
 * for the lock: all at once or, where they could be woken in any order, first one, then
 * another and then the rest. The first keeps it for long; the second takes it many
 * times in a row and wakes one of the rest each time. In the twin the first spends the
 * time without the lock.
 */
#ifndef MUSTER_H
#define MUSTER_H

#include <stdatomic.h>
#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

struct muster_call {
	uint64_t number;            /* of calls so far; under the lock */
	_Atomic uint64_t called_ns; /* when somebody was woken last */
};

struct muster {
	struct muster_call *call;
	uint32_t coming; /* resource: the call */
	uint32_t lock;   /* resource */
	/* Takes the lock. The result goes to leave. */
	struct ledger_entry *(*enter)(struct worker *worker);
	void (*leave)(struct ledger_entry *held);
	/* With the lock: lets it go, sleeps until there is a call, and takes it again. */
	void (*await_call)(void);
	/* Wakes the one who has slept so the longest. May be NULL. */
	void (*wake_one)(void);
	/* Wakes all who sleep so. Without the lock. */
	void (*wake_all)(void);
	/* With the lock: what the first does in the fault, and what all do besides. */
	void (*keep)(struct worker *worker, uint64_t ns);
	void (*act)(struct worker *worker, uint64_t ns);
};

/* For arrange(): adds the threads. */
void muster_add(struct player *player, const struct muster *muster);

#endif
