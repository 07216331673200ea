/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "clock.h"

#include <errno.h>
#include <time.h>

#include "player.h"

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

OUTLINED void sleep_until(struct worker *worker, uint64_t instant_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(instant_ns / SECOND),
		.tv_nsec = (long)(instant_ns % SECOND),
	};

	while (!worker_stopped(worker) &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

OUTLINED void sleep_ns(struct worker *worker, uint64_t ns)
{
	sleep_until(worker, clock_ns() + ns);
}
