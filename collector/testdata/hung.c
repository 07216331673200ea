// SPDX-License-Identifier: Apache-2.0
/*
 * A program that hangs already when it is looked at: two threads that have each other's
 * mutex, one that waits for the mutex of a thread that has ended, and one that sleeps on
 * a word which was changed without waking it. It prints who is who and dies with the
 * test.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t orphan = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static uint32_t ready;
static volatile pid_t tids[5]; /* of: left, right, heir, dead, sleeper */

static __attribute__((noinline)) void take_right(void)
{
	pthread_mutex_lock(&right);
	__asm__ volatile("");
}

static __attribute__((noinline)) void take_left(void)
{
	pthread_mutex_lock(&left);
	__asm__ volatile("");
}

static __attribute__((noinline)) void take_orphan(void)
{
	pthread_mutex_lock(&orphan);
	__asm__ volatile("");
}

static __attribute__((noinline)) void await_ready(void)
{
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void *have_left(void *arg)
{
	tids[0] = gettid();
	pthread_mutex_lock(&left);
	pthread_barrier_wait(&both);
	take_right();
	return arg;
}

static void *have_right(void *arg)
{
	tids[1] = gettid();
	pthread_mutex_lock(&right);
	pthread_barrier_wait(&both);
	take_left();
	return arg;
}

static void *die(void *arg)
{
	tids[3] = gettid();
	pthread_mutex_lock(&orphan);
	return arg;
}

static void *inherit(void *arg)
{
	tids[2] = gettid();
	take_orphan();
	return arg;
}

static void *sleeper(void *arg)
{
	tids[4] = gettid();
	await_ready();
	return arg;
}

/* Waits until a thread sleeps in a futex call: it has come to where it hangs. */
static void await_futex(pid_t tid)
{
	struct timespec t = { 0, 1000000 };
	char path[64];
	long call;

	do {
		FILE *f;

		nanosleep(&t, NULL);
		call = -1;
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
		f = fopen(path, "r");
		if (f) {
			if (fscanf(f, "%ld", &call) != 1)
				call = -1;
			fclose(f);
		}
	} while (call != SYS_futex);
}

int main(void)
{
	pthread_t t[5];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t[3], NULL, die, NULL);
	pthread_join(t[3], NULL);
	pthread_create(&t[0], NULL, have_left, NULL);
	pthread_create(&t[1], NULL, have_right, NULL);
	pthread_create(&t[2], NULL, inherit, NULL);
	pthread_create(&t[4], NULL, sleeper, NULL);
	for (int i = 0; i < 5; i++) {
		while (!tids[i])
			;
		if (i != 3)
			await_futex(tids[i]);
	}
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE); /* and nobody is woken */
	printf("left=%d right=%d heir=%d dead=%d sleeper=%d word=%p\n",
	       tids[0], tids[1], tids[2], tids[3], tids[4], (void *)&ready);
	fflush(stdout);
	for (;;)
		pause();
}
