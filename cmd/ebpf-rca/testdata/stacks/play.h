/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The play that C and C++ share. Five threads take turns at one resource: the first
 * works long while it has it, the others want it all the time. Every thread waits and
 * lets go in functions of its own site, which are told on standard output:
 *
 *   {"threads":[{"tid":1,"culprit":true,"entry":"culprit_thread",
 *     "waits":["wait_mutex_c"],"releases":["release_mutex_c"]}, ...]}
 *
 * A byte on standard input ends the program, and so do the input's end and an alarm.
 */
#ifndef PLAY_H
#define PLAY_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "outline.h"

enum {
	LONGEST_S = 60,
	WAITERS = 4,
	WORK_NS = 400 * 1000,
	HOLD_PAUSE_NS = 300 * 1000,
	TURN_PAUSE_NS = 60 * 1000,
};

/* One way to take turns, at one site. Names are JSON lists without brackets. */
struct site {
	void (*acquire)(void);
	void (*release)(void);
	const char *waits, *releases;
};

struct thread {
	pthread_t handle;
	const struct site *site;
	const char *entry;
	long tid; /* 0 until the thread runs */
};

static struct thread threads[1 + WAITERS];
static pthread_barrier_t all_here;
static volatile uint64_t digest;

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void pause_ns(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

static inline void compute_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns, d = digest;

	do
		for (int i = 0; i < 2000; i++)
			d = (d ^ d >> 29) * 0x9e3779b97f4a7c15 + 1;
	while (now_ns() < end);
	digest = d;
}

/* What the culprit does while the others wait: it computes, then it sleeps. */
OUTLINED void hold_working(void)
{
	compute_ns(WORK_NS);
	pause_ns(HOLD_PAUSE_NS);
	STAY();
}

OUTLINED void culprit_turn(const struct site *site)
{
	site->acquire();
	hold_working();
	site->release();
	STAY();
}

OUTLINED void waiter_turn(const struct site *site)
{
	site->acquire();
	site->release();
	STAY();
}

static inline void come_in(struct thread *self)
{
	__atomic_store_n(&self->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	pthread_barrier_wait(&all_here);
}

OUTLINED void *culprit_thread(void *arg)
{
	struct thread *self = (struct thread *)arg;

	for (come_in(self);; pause_ns(TURN_PAUSE_NS))
		culprit_turn(self->site);
	return NULL;
}

OUTLINED void *waiter_thread(void *arg)
{
	struct thread *self = (struct thread *)arg;

	for (come_in(self);; pause_ns(TURN_PAUSE_NS))
		waiter_turn(self->site);
	return NULL;
}

static inline void tell(void)
{
	printf("{\"threads\":[");
	for (int i = 0; i <= WAITERS; i++)
		printf("%s{\"tid\":%ld,\"culprit\":%s,\"entry\":\"%s\",\"waits\":[%s],\"releases\":[%s]}",
		       i ? "," : "", threads[i].tid, i ? "false" : "true", threads[i].entry,
		       threads[i].site->waits, threads[i].site->releases);
	printf("]}\n");
	fflush(stdout);
}

static inline int start(struct thread *t, const struct site *site, void *(*entry)(void *), const char *name)
{
	t->site = site;
	t->entry = name;
	return pthread_create(&t->handle, NULL, entry, t);
}

/* Plays until there is input: the culprit at site c, the others at a and b. */
static inline int play(const struct site *a, const struct site *b, const struct site *c)
{
	char byte;

	alarm(LONGEST_S);
	if (pthread_barrier_init(&all_here, NULL, WAITERS + 2))
		return 1;
	if (start(&threads[0], c, culprit_thread, "culprit_thread"))
		return 1;
	for (int i = 1; i <= WAITERS; i++)
		if (start(&threads[i], i % 2 ? a : b, waiter_thread, "waiter_thread"))
			return 1;
	pthread_barrier_wait(&all_here);
	tell();
	_exit(read(0, &byte, 1) < 0);
}

#endif
