/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks many children that live some milliseconds, a few at a time. They take turns at
 * a mutex in shared memory and say in a pipe that they are done; the parent waits
 * there. Begins with a byte on standard input, says "done" and ends with the input.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "outline.h"

enum {
	LONGEST_S = 60,
	CHILDREN = 1000,
	AT_A_TIME = 4,
	TURNS = 3,
	HOLD_NS = 800 * 1000,
};

static pthread_mutex_t *table;
static int done_pipe[2];

OUTLINED void lock_table(void) { pthread_mutex_lock(table); STAY(); }
OUTLINED void unlock_table(void) { pthread_mutex_unlock(table); STAY(); }

OUTLINED void write_done(void)
{
	if (write(done_pipe[1], "d", 1) != 1)
		abort();
	STAY();
}

OUTLINED void read_done(void)
{
	char byte;

	if (read(done_pipe[0], &byte, 1) != 1)
		abort();
	STAY();
}

OUTLINED void live(void)
{
	struct timespec hold = { 0, HOLD_NS };

	for (int i = 0; i < TURNS; i++) {
		lock_table();
		nanosleep(&hold, NULL);
		unlock_table();
	}
	write_done();
	STAY();
}

static int make_table(void)
{
	pthread_mutexattr_t attr;

	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return table == MAP_FAILED || pthread_mutexattr_init(&attr) ||
	       pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) || pthread_mutex_init(table, &attr);
}

/* Polls, so as not to wait for a pipe outside of read_done. */
static char next_byte(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	char byte = 0;

	return poll(&input, 1, -1) == 1 && read(0, &byte, 1) == 1 ? byte : 0;
}

int main(void)
{
	alarm(LONGEST_S);
	if (make_table() || pipe(done_pipe))
		return 1;
	printf("{\"threads\":[{\"tid\":0,\"entry\":\"main\",\"waits\":[\"lock_table\",\"read_done\"],"
	       "\"releases\":[\"unlock_table\",\"write_done\"]}]}\n");
	fflush(stdout);
	if (!next_byte())
		return 1;
	for (int forked = 0, ended = 0; ended < CHILDREN; ended++) {
		while (forked < CHILDREN && forked - ended < AT_A_TIME) {
			pid_t child = fork();

			if (child < 0)
				return 1;
			if (!child) {
				alarm(LONGEST_S);
				live();
				_exit(0);
			}
			forked++;
		}
		read_done();
		wait(NULL);
	}
	puts("done");
	fflush(stdout);
	next_byte();
	return 0;
}
