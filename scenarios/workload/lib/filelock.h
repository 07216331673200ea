/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks on files whose waits and holds are written down. Waiters queue up in the
 * kernel: a waiter that conflicts with another waits behind it (since Linux 5.1), so
 * that each wakes the next.
 */
#ifndef FILELOCK_H
#define FILELOCK_H

#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

enum filelock_style {
	FILELOCK_FLOCK, /* flock(2): belongs to an open file description */
	FILELOCK_OFD,   /* F_OFD_SETLKW: the same, of a range of bytes */
	FILELOCK_POSIX, /* F_SETLKW: belongs to a process, threads of one do not conflict */
};

struct logged_filelock {
	enum filelock_style style;
	int file;
	uint64_t start, length; /* the range, of the styles that have one */
	uint32_t resource;
};

/* For arrange(): makes a file that has no name. Returns -1 with errno set. */
int filelock_file(void);

/* For arrange(): adds a lock on the file that is set. Returns 0, or -1 with errno set. */
int filelock_add(struct player *player, struct logged_filelock *lock);

/* Takes the lock. The result goes to filelock_leave; NULL if the run is over. */
struct ledger_entry *filelock_enter(struct worker *worker, const struct logged_filelock *lock);

void filelock_leave(const struct logged_filelock *lock, struct ledger_entry *held);

#endif
