/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take two mutexes at a time, each its own and the next one's, so that all
 * together go round in a circle. At first they take the lower one first. From a quarter
 * of the run on they take their own first, all at the same time, and each keeps it until
 * all have theirs: then each waits for the next, forever. In the twin the order stays as
 * it was. Beside them are visitors who want one of the mutexes each, and a company with
 * a mutex of its own that goes on, whatever happens.
 */
#ifndef CIRCLE_H
#define CIRCLE_H

#include <stdint.h>

struct logged_mutex;
struct player;
struct worker;

#define CIRCLE_MAX 8

struct circle {
	unsigned int size;
	struct logged_mutex *(*lock)(unsigned int number);
	/* Takes two mutexes, the second so long after the first, and lets them go. */
	void (*take_both)(struct worker *worker, struct logged_mutex *first,
			  struct logged_mutex *second, uint64_t pause_ns);
	/* Takes one mutex for a span. */
	void (*visit)(struct worker *worker, struct logged_mutex *lock, uint64_t span_ns);
};

/* For arrange(): adds all threads. Makes the company's mutex, not those of the circle. */
void circle_add(struct player *player, const struct circle *circle);

/*
 * Breaks the circle after the run: a mutex of the default kind may be unlocked by any
 * thread. For wake().
 */
void circle_break(void);

#endif
