/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that have nothing to do with the fault and do what programs do: take mutexes
 * that nobody else wants just then, hand small things on by pipes, and sleep by timers.
 */
#ifndef NOISE_H
#define NOISE_H

struct player;

/* For arrange(): adds a number of threads. Returns 0, or -1 with errno set. */
int noise_add(struct player *player, unsigned int threads);

#endif
