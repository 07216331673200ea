// SPDX-License-Identifier: Apache-2.0
/*
 * Threads on all CPUs want one mutex. A unit of work is to have had it once, for about as
 * long as was spent without.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "load.h"

#define THREADS 8
#define STEPS 1000 /* some microseconds */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t stages;
static uint64_t shares[2]; /* of a thread, before and in the part that counts */

static void compute(void)
{
	for (volatile int i = 0; i < STEPS; i++)
		;
}

static void have(uint64_t times)
{
	for (uint64_t i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		compute();
		pthread_mutex_unlock(&mutex);
		compute();
	}
}

static void *member(void *arg)
{
	for (int stage = 0; stage < 2; stage++) {
		pthread_barrier_wait(&stages);
		have(shares[stage]);
		pthread_barrier_wait(&stages);
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct load load;
	pthread_t threads[THREADS];

	load_init(&load, argc, argv);
	shares[0] = load.warm / THREADS;
	shares[1] = load.work / THREADS;
	errno = pthread_barrier_init(&stages, NULL, THREADS + 1);
	for (int i = 0; i < THREADS && !errno; i++)
		errno = pthread_create(&threads[i], NULL, member, NULL);
	if (errno)
		load_fail("make a thread");
	load_ready(getpid());
	pthread_barrier_wait(&stages);
	pthread_barrier_wait(&stages);
	load_begin(&load);
	pthread_barrier_wait(&stages);
	pthread_barrier_wait(&stages);
	load_end(&load);
	load_tell(&load, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
