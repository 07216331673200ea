/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "neighbours.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define THREADS 4
#define HOLD (15 * MILLISECOND)
#define BREAK (2 * MILLISECOND)

static void rest(uint64_t ns)
{
	struct timespec span = { .tv_nsec = (long)ns };

	nanosleep(&span, NULL);
}

static void *hog(void *argument)
{
	pthread_mutex_t *mutex = argument;

	for (;;) {
		pthread_mutex_lock(mutex);
		rest(HOLD);
		pthread_mutex_unlock(mutex);
		rest(BREAK);
	}
	return NULL;
}

/* Whoever talks to the workload is to see the end of that, not of this process. */
static void let_go_of_files(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
}

static _Noreturn void be_neighbour(pthread_mutex_t *mutex, int tie)
{
	struct pollfd end = { .fd = tie };

	let_go_of_files();
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, hog, mutex) != 0)
			_exit(EXIT_FAILURE);
	}
	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	_exit(EXIT_SUCCESS);
}

/* Forks twice: what the process in between leaves behind is not ours any more. */
static int start_one(pthread_mutex_t *mutex, const int tie[2])
{
	pid_t between = fork();
	int status;

	if (between < 0)
		return -1;
	if (between == 0) {
		pid_t neighbour = fork();

		if (neighbour == 0) {
			close(tie[1]);
			be_neighbour(mutex, tie[0]);
		}
		_exit(neighbour > 0 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
		return 0;
	errno = EAGAIN;
	return -1;
}

int neighbours_start(unsigned int processes, pthread_mutex_t *mutex)
{
	int tie[2];

	/* The end written to stays open in the workload alone, until that is gone. */
	if (pipe2(tie, O_CLOEXEC) != 0)
		return -1;
	for (unsigned int i = 0; i < processes; i++)
		if (start_one(mutex, tie) != 0)
			return -1;
	return close(tie[0]);
}
