// SPDX-License-Identifier: Apache-2.0
#include "pingpong.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* One turn in so many is timed: reading the clock twice would show in the others. */
#define TIMED_EVERY 16

static const struct way *the_way;

static void *partner(void *arg)
{
	for (;;) {
		the_way->take(1);
		the_way->give(0);
	}
	return arg;
}

static void turn(void)
{
	the_way->give(1);
	the_way->take(0);
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t p99(int64_t *times, size_t n)
{
	if (!n)
		return 0;
	qsort(times, n, sizeof(*times), by_size);
	return times[(n - 1) * 99 / 100];
}

void pingpong(struct load *load, const struct way *way, pid_t watched)
{
	size_t most = load->work / TIMED_EVERY + 1, timed = 0;
	int64_t *times = calloc(most, sizeof(*times));
	pthread_t thread;

	the_way = way;
	load_pin();
	way->open();
	if (!times)
		load_fail("make room for the times");
	errno = pthread_create(&thread, NULL, partner, NULL);
	if (errno)
		load_fail("make a thread");
	load_ready(watched);
	for (uint64_t i = 0; i < load->warm; i++)
		turn();
	load_begin(load);
	for (uint64_t i = 0; i < load->work; i++) {
		int64_t begin;

		if (i % TIMED_EVERY) {
			turn();
			continue;
		}
		begin = monotonic_ns();
		turn();
		times[timed++] = monotonic_ns() - begin;
	}
	load_end(load);
	load_tell(load, p99(times, timed));
}
