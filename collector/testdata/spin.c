/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads, on a CPU each, that write large buffers: to one pipe, whose mutex the
 * kernel keeps while it copies, or to one file, whose rwsem it keeps. A third empties the
 * pipe. Says PID=…, and runs until its standard input ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 20, CALLS = 8 };

static char buffer[SIZE];
static int ends[2];
static int file = -1;

static void *write_pipe(void *which)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((long)which, &cpus);
	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	for (;;) {
		if (file >= 0)
			pwrite(file, buffer, SIZE, 0);
		else
			write(ends[1], buffer, SIZE / CALLS);
	}
	return NULL;
}

static void *empty_pipe(void *unused)
{
	static char drain[SIZE];

	while (read(ends[0], drain, SIZE) > 0)
		;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char end;

	if (argc > 1 && strcmp(argv[1], "file") == 0)
		file = memfd_create("spin", 0);
	else if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, SIZE) < 0)
		return 1;
	printf("PID=%d\n", getpid());
	fflush(stdout);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread, NULL, write_pipe, (void *)i);
	if (file < 0)
		pthread_create(&thread, NULL, empty_pipe, NULL);
	while (read(0, &end, 1) > 0)
		;
	return 0;
}
