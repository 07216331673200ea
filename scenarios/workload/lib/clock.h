/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

struct worker;

#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

/* The instant, on CLOCK_MONOTONIC. */
uint64_t clock_ns(void);

/* Sleeps for a span, or until the run is over. */
void sleep_ns(struct worker *worker, uint64_t ns);

/* Sleeps until an instant, or until the run is over. Returns at once if it is past. */
void sleep_until(struct worker *worker, uint64_t instant_ns);

#endif
