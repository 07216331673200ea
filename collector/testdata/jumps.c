// SPDX-License-Identifier: Apache-2.0
/* Threads that wait for ever in functions that glibc leaves by a jump. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static sem_t empty;
static pthread_t waiter;
static volatile pid_t tids[2];

static __attribute__((noinline)) void take(void)
{
	sem_wait(&empty);
	__asm__ volatile("");
}

static void *wait_for_semaphore(void *arg)
{
	tids[0] = gettid();
	take();
	return arg;
}

static void *wait_for_end(void *arg)
{
	tids[1] = gettid();
	pthread_join(waiter, NULL);
	return arg;
}

int main(void)
{
	pthread_t joiner;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sem_init(&empty, 0, 0);
	pthread_create(&waiter, NULL, wait_for_semaphore, NULL);
	pthread_create(&joiner, NULL, wait_for_end, NULL);
	while (!tids[0] || !tids[1])
		;
	printf("semaphore=%d join=%d\n", tids[0], tids[1]);
	fflush(stdout);
	for (;;)
		pause();
}
