/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control group whose threads may use so much CPU time in each period, and none after.
 *
 * The scheduler counts what they use at its ticks, which are milliseconds apart, and
 * whenever a thread asks for its own CPU time. Those that compute here ask often, so
 * that they get what they may use and hardly more.
 *
 * A process of its own removes the group when the workload is gone, however it went.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include <stdint.h>

struct worker;

/* For arrange(): makes the group, with a quota of so much. Returns 0, or -1 with errno set. */
int quota_make(uint64_t quota_ns, uint64_t period_ns);

/* Moves the calling thread into the group. */
void quota_join(void);

/* Computes for a span of CPU time, on the CPU set apart. What it was kept from running is written down. */
void quota_compute(struct worker *worker, uint64_t ns);

#endif
