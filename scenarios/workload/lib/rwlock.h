/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read-write lock whose waits and holds are written down. A writer waits until all
 * who read have left, and where writers are preferred so do those who come to read
 * behind a writer that waits.
 */
#ifndef RWLOCK_H
#define RWLOCK_H

#include <pthread.h>
#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

struct logged_rwlock {
	pthread_rwlock_t lock;
	uint32_t resource;
};

/*
 * For arrange(): makes a lock that prefers writers and adds it as a resource. Returns
 * 0, or -1 with errno set.
 */
int rwlock_make(struct player *player, struct logged_rwlock *rwlock);

/* Take the lock. The result goes to rwlock_leave. */
struct ledger_entry *rwlock_read(struct worker *worker, struct logged_rwlock *rwlock);
struct ledger_entry *rwlock_write(struct worker *worker, struct logged_rwlock *rwlock);

void rwlock_leave(struct logged_rwlock *rwlock, struct ledger_entry *held);

#endif
