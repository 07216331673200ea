/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "quota.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "onecpu.h"
#include "player.h"

/* How much is computed between two looks at the CPU time used. */
#define PIECE (MILLISECOND / 4)

/* How long the group may take to become empty when the workload has gone. */
#define PATIENCE (10 * SECOND)

/*
 * The group that is made; the one that has the quota, which in the second version of
 * control groups lies within; and the file there that takes threads.
 */
static char group[64], limited[96], threads[128];

static int put(const char *directory, const char *file, const char *text)
{
	char path[128];
	ssize_t length = (ssize_t)strlen(text), written;
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	written = write(fd, text, (size_t)length);
	error = errno;
	close(fd);
	errno = error;
	return written == length ? 0 : -1;
}

/* Removes what there is of the group. Returns 0 if nothing is left. */
static int remove_group(void)
{
	if (rmdir(limited) != 0 && errno != ENOENT)
		return -1;
	return rmdir(group) != 0 && errno != ENOENT ? -1 : 0;
}

/* Its standard input ends with the workload. */
static _Noreturn void stand_guard(void)
{
	struct timespec pause = { .tv_nsec = MILLISECOND };
	uint64_t deadline;
	char nothing;

	while (read(STDIN_FILENO, &nothing, sizeof(nothing)) != 0)
		;
	deadline = clock_ns() + PATIENCE;
	while (remove_group() != 0 && clock_ns() < deadline)
		nanosleep(&pause, NULL);
	_exit(EXIT_SUCCESS);
}

/*
 * Sees to it that the group does not outlive this process. The guard is no descendant of
 * ours, for it is no part of what is played, and in a session of its own, for it is not
 * to be killed with us.
 */
static int post_guard(void)
{
	int tie[2], status = -1;
	pid_t between;

	if (pipe2(tie, O_CLOEXEC) != 0)
		return -1;
	between = fork();
	if (between < 0)
		return -1;
	if (between == 0) {
		pid_t guard;

		if (setsid() < 0 || dup2(tie[0], STDIN_FILENO) < 0)
			_exit(EXIT_FAILURE);
		closefrom(STDOUT_FILENO);
		guard = fork();
		if (guard == 0)
			stand_guard();
		_exit(guard < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	close(tie[0]);
	while (waitpid(between, &status, 0) < 0 && errno == EINTR)
		;
	if (status != EXIT_SUCCESS) {
		errno = ECHILD;
		return -1;
	}
	return 0;
}

static int fill_first_version(const char *quota_us, const char *period_us)
{
	if (put(group, "cpu.cfs_period_us", period_us) != 0)
		return -1;
	return put(group, "cpu.cfs_quota_us", quota_us);
}

/*
 * A single thread may only be put into another group than its process if that is a
 * threaded one, below the group of the process.
 */
static int fill_second_version(const char *quota_us, const char *period_us)
{
	char both[64];

	snprintf(both, sizeof(both), "%s %s", quota_us, period_us);
	if (put(group, "cgroup.procs", "0") != 0 || mkdir(limited, 0755) != 0)
		return -1;
	if (put(limited, "cgroup.type", "threaded") != 0 || put(group, "cgroup.subtree_control", "+cpu") != 0)
		return -1;
	return put(limited, "cpu.max", both);
}

int quota_make(uint64_t quota_ns, uint64_t period_ns)
{
	bool first = access("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", F_OK) == 0;
	char quota_us[24], period_us[24];

	snprintf(quota_us, sizeof(quota_us), "%ju", (uintmax_t)(quota_ns / MICROSECOND));
	snprintf(period_us, sizeof(period_us), "%ju", (uintmax_t)(period_ns / MICROSECOND));
	snprintf(group, sizeof(group), "%s/ebpf-rca-quota-%d", first ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup", getpid());
	snprintf(limited, sizeof(limited), first ? "%s" : "%s/limited", group);
	snprintf(threads, sizeof(threads), first ? "%s/tasks" : "%s/cgroup.threads", limited);
	if (post_guard() != 0 || mkdir(group, 0755) != 0)
		return -1;
	return first ? fill_first_version(quota_us, period_us) : fill_second_version(quota_us, period_us);
}

void quota_join(void)
{
	int fd = open(threads, O_WRONLY | O_CLOEXEC);

	/* 0 is the calling thread. */
	if (fd < 0 || write(fd, "0", 1) != 1) {
		fprintf(stderr, "join the control group %s: %s\n", limited, strerror(errno));
		_Exit(EXIT_FAILURE);
	}
	close(fd);
}

OUTLINED void quota_compute(struct worker *worker, uint64_t ns)
{
	for (uint64_t had = 0; had < ns && !worker_stopped(worker); had += PIECE) {
		struct timespec used;
		uint64_t before;

		onecpu_compute(worker, ns - had < PIECE ? ns - had : PIECE);
		before = clock_ns();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		onecpu_kept_off(worker, before, clock_ns());
	}
}
