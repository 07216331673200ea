/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that is kept by one thread, for which a second waits, behind which many wait:
 * in rounds that all keep by the clock. When the first leaves, the second is let in,
 * and it is the second that lets in all the rest.
 */
#ifndef GATHERING_H
#define GATHERING_H

#include <stdint.h>

struct player;
struct worker;

struct gathering {
	/* Takes the lock and keeps it for a span. */
	void (*keep)(struct worker *worker, uint64_t ns);
	/* Takes it as keep does, for a short span. */
	void (*keep_briefly)(struct worker *worker, uint64_t ns);
	/* Spends the span as keep does, without the lock. */
	void (*elsewhere)(struct worker *worker, uint64_t ns);
	/* The second one's and the others' turns. */
	void (*follow)(struct worker *worker, uint64_t ns);
	void (*visit)(struct worker *worker, uint64_t ns);
};

/* For arrange(): adds the threads. */
void gathering_add(struct player *player, const struct gathering *gathering);

#endif
