/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An eventfd(2) whose waits are written down: one adds to it, and each reader takes one
 * away, or waits until there is one.
 */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct player;
struct worker;

struct logged_counter {
	int fd;
	uint32_t resource;
};

/* For arrange(): makes a counter of zero and adds its resource. */
int counter_make(struct player *player, struct logged_counter *counter);

/* Takes one. Returns false if the run is over. */
bool counter_take(struct worker *worker, const struct logged_counter *counter);

/* Adds to it, which never waits. Returns false if that failed. */
bool counter_give(struct worker *worker, const struct logged_counter *counter, uint64_t count);

#endif
