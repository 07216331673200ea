// SPDX-License-Identifier: Apache-2.0
/*
 * A storm of waits: three threads take turns, one of which needs much longer for its turn
 * than the others. Beside them a thread keeps a mutex for long now and then, which another
 * wants all the time. It tells the tids and goes on until it is killed.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 3, THREADS = TURNS + 2 };

static const long turn_ns[TURNS] = { 200000, 4000, 4000 };
static _Atomic uint32_t turn;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t tids[THREADS];
static pthread_barrier_t ready;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static void *take_turns(void *arg)
{
	uint32_t me = (uintptr_t)arg, seen;

	tids[me] = gettid();
	pthread_barrier_wait(&ready);
	for (;;) {
		while ((seen = turn) % TURNS != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
		for (int64_t end = now() + turn_ns[me]; now() < end;)
			;
		turn = seen + 1;
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, TURNS, NULL, NULL, 0);
	}
	return NULL;
}

static __attribute__((noinline)) void keep_for_long(void)
{
	sleep_ns(20000000);
	__asm__ volatile("");
}

static void *keep(void *arg)
{
	tids[(uintptr_t)arg] = gettid();
	pthread_barrier_wait(&ready);
	for (;;) {
		pthread_mutex_lock(&mutex);
		keep_for_long();
		pthread_mutex_unlock(&mutex);
		sleep_ns(60000000);
	}
	return NULL;
}

static void *want(void *arg)
{
	tids[(uintptr_t)arg] = gettid();
	pthread_barrier_wait(&ready);
	for (;;) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		sleep_ns(1000000);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&ready, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < TURNS; i++)
		pthread_create(&thread, NULL, take_turns, (void *)i);
	pthread_create(&thread, NULL, keep, (void *)(uintptr_t)TURNS);
	pthread_create(&thread, NULL, want, (void *)(uintptr_t)(TURNS + 1));
	pthread_barrier_wait(&ready);
	printf("long=%d middle=%d short=%d keeper=%d wanter=%d\n", tids[0], tids[1], tids[2], tids[3], tids[4]);
	fflush(stdout);
	pause();
	return 0;
}
