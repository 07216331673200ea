/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that have to share one CPU, the last of those the program may use. All others
 * are kept off it.
 *
 * A thread does not see that it is not let run. But while it computes it reads the clock
 * about once a microsecond, and where that jumps it had no CPU: the ledger gets a wait
 * for the CPU from the one reading to the other. Who computes on the CPU and is not kept
 * from it holds it.
 */
#ifndef ONECPU_H
#define ONECPU_H

#include <stdbool.h>
#include <stdint.h>

struct player;
struct worker;

/* For arrange(): sets the CPU apart and adds its resource. Returns 0, or -1 with errno set. */
int onecpu_set_apart(struct player *player);

/* Moves the calling thread onto the CPU, in a real-time class of a priority, or with 0 in none. */
void onecpu_join(int realtime);

/* Computes for a span of CPU time. What it was kept from running is written down. */
void onecpu_compute(struct worker *worker, uint64_t ns);

/* The same, and that the CPU is held meanwhile is written down, too. */
void onecpu_occupy(struct worker *worker, uint64_t ns);

/*
 * Writes down that the thread was kept off the CPU from one reading of the clock to the
 * next, if so much time lies between them. Returns whether it does.
 */
bool onecpu_kept_off(struct worker *worker, uint64_t from, uint64_t to);

#endif
