/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that do one thing in every round, each at its own time of the round by the
 * clock. One that comes late does not make the others late.
 */
#ifndef TURNS_H
#define TURNS_H

#include <stdint.h>

struct player;
struct worker;

struct turns {
	uint64_t period_ns;
	uint64_t phase_ns; /* when in a round it is this thread's turn */
	uint64_t span_ns;  /* handed to what is done */
	void (*act)(struct worker *worker, uint64_t span_ns);
	/* What is done in the twin instead; NULL: the same. */
	void (*twin)(struct worker *worker, uint64_t span_ns);
	const void *what; /* the thing that act is about, if there are several alike */
};

/* The thing that the turn of the calling thread is about. */
const void *turns_what(const struct worker *worker);

/* For arrange(): add a thread. The turns are copied. */
void turns_add(struct player *player, struct turns turns);
void turns_add_culprit(struct player *player, struct turns turns);
void turns_add_decoy(struct player *player, struct turns turns, const char *label);

#endif
