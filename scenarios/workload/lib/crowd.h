/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that want one lock, in rounds that all of them keep by the clock. In an act
 * of a round one thread asks for the lock and keeps it; in the twin it holds the lock
 * as briefly as the others and spends the time elsewhere. The others ask after it, one
 * by one, so that they queue up and each wakes the next.
 */
#ifndef CROWD_H
#define CROWD_H

#include <stdint.h>

struct player;
struct worker;

#define CROWD_ACTS 2

struct crowd {
	uint64_t period_ns;
	unsigned int acts;
	uint64_t act_ns[CROWD_ACTS]; /* when in a round its keeper asks */
	uint64_t lead_ns;    /* the first of the others asks as much before the keeper, too */
	uint64_t delay_ns;   /* the others ask as much after the keeper, */
	uint64_t spacing_ns; /* and as much one after the other */
	uint64_t meet_ns;    /* when in a round all others ask at once; 0: never */
	uint64_t brief_ns;   /* how long the others hold; */
	uint64_t brief_step_ns; /* each of them so much longer than the one before, */
	uint64_t brief_max_ns;  /* up to this. 0: no such bound */
	/* Takes the lock, computes and lets it go. */
	void (*visit)(struct worker *worker, uint64_t ns);
};

struct crowd_keeper {
	const struct crowd *crowd;
	unsigned int act;
	uint64_t hold_ns;
	/* Takes the lock and keeps it for a span. */
	void (*keep)(struct worker *worker, uint64_t ns);
	/* Spends the span as keep does, without the lock. */
	void (*elsewhere)(struct worker *worker, uint64_t ns);
};

/* For arrange(): add who keeps the lock and who else wants it. */
void crowd_add_keeper(struct player *player, const struct crowd_keeper *keeper);
void crowd_add_others(struct player *player, const struct crowd *crowd);

#endif
