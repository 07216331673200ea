// SPDX-License-Identifier: Apache-2.0
/*
 * `pingpong futex|pipe`: two threads on one CPU that hand a turn to each other. For
 * each line N it reads it plays N milliseconds and prints how often the turn went
 * round and what CPU time of both threads that took: "rounds=N cpu_ns=N".
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <signal.h>
#include <unistd.h>

static uint32_t turns[2];
static int pipes[2][2];
static int by_pipe;

static void give(int to)
{
	if (by_pipe) {
		if (write(pipes[to][1], "x", 1) != 1)
			exit(1);
		return;
	}
	__atomic_store_n(&turns[to], 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turns[to], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void take(int me)
{
	char c;

	if (by_pipe) {
		if (read(pipes[me][0], &c, 1) != 1)
			exit(1);
		return;
	}
	while (!__atomic_load_n(&turns[me], __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &turns[me], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	__atomic_store_n(&turns[me], 0, __ATOMIC_RELEASE);
}

static void *partner(void *arg)
{
	for (;;) {
		take(1);
		give(0);
	}
	return arg;
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	pthread_t thread;
	int ms;

	if (argc != 2)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	by_pipe = !strcmp(argv[1], "pipe");
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(pipes[0]) || pipe(pipes[1]) ||
	    pthread_create(&thread, NULL, partner, NULL))
		return 1;
	puts("");
	fflush(stdout);
	while (scanf("%d", &ms) == 1) {
		int64_t end = now(CLOCK_MONOTONIC) + ms * 1000000LL;
		int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID), rounds = 0;

		while (rounds % 64 || now(CLOCK_MONOTONIC) < end) {
			give(1);
			take(0);
			rounds++;
		}
		printf("rounds=%lld cpu_ns=%lld\n", (long long)rounds,
		       (long long)(now(CLOCK_PROCESS_CPUTIME_ID) - cpu));
		fflush(stdout);
	}
	return 0;
}
