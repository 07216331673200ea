/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A barrier whose waits are written down. It is held, in each phase, by those who have
 * not come to it yet: whoever has come waits until the last has left them behind.
 */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

struct logged_barrier {
	pthread_barrier_t barrier;
	uint32_t resource;
};

/* For arrange(): makes a barrier and adds it as a resource. Returns 0, or -1 with errno set. */
int barrier_make(struct player *player, struct logged_barrier *barrier, unsigned int count);

/* Writes down that the worker is on its way to the barrier. The result goes to barrier_meet. */
struct ledger_entry *barrier_approach(struct worker *worker, const struct logged_barrier *barrier);

/* Comes to the barrier and waits for all others. */
void barrier_meet(struct worker *worker, struct logged_barrier *barrier, struct ledger_entry *way);

#endif
