/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "player.h"

int filelock_file(void)
{
	return memfd_create("", MFD_CLOEXEC);
}

int filelock_add(struct player *player, struct logged_filelock *lock)
{
	const char *kind = lock->style == FILELOCK_FLOCK ? "flock" : "posix-lock";
	struct stat info;

	if (fstat(lock->file, &info) != 0)
		return -1;
	lock->resource = player_resource(player, kind, NULL, info.st_ino, false);
	return 0;
}

/* The calling thread's own open file description; a workload locks one file. */
static int own_description(const struct logged_filelock *lock)
{
	static _Thread_local int own = -1;
	char path[32];

	if (lock->style == FILELOCK_POSIX)
		return lock->file;
	if (own < 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", lock->file);
		own = open(path, O_RDWR | O_CLOEXEC);
	}
	return own;
}

/* Locks or unlocks the range. */
static int set_range(const struct logged_filelock *lock, short type)
{
	struct flock range = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)lock->start, .l_len = (off_t)lock->length,
	};

	return fcntl(own_description(lock), lock->style == FILELOCK_OFD ? F_OFD_SETLKW : F_SETLKW, &range);
}

static OUTLINED int lock_file(const struct logged_filelock *lock)
{
	if (lock->style == FILELOCK_FLOCK)
		return flock(own_description(lock), LOCK_EX);
	return set_range(lock, F_WRLCK);
}

static OUTLINED int unlock_file(const struct logged_filelock *lock)
{
	if (lock->style == FILELOCK_FLOCK)
		return flock(own_description(lock), LOCK_UN);
	return set_range(lock, F_UNLCK);
}

struct ledger_entry *filelock_enter(struct worker *worker, const struct logged_filelock *lock)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, lock->resource, clock_ns());
	uint64_t now;
	int result;

	do
		result = lock_file(lock);
	while (result != 0 && errno == EINTR && !worker_stopped(worker));
	now = clock_ns();
	ledger_end(wait, now);
	if (result != 0)
		return NULL;
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, lock->resource, now);
}

void filelock_leave(const struct logged_filelock *lock, struct ledger_entry *held)
{
	if (!held)
		return;
	ledger_end(held, clock_ns());
	unlock_file(lock);
}
