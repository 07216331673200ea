/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rwlock.h"

#include <errno.h>

#include "clock.h"
#include "player.h"

int rwlock_make(struct player *player, struct logged_rwlock *rwlock)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	errno = pthread_rwlock_init(&rwlock->lock, &attributes);
	pthread_rwlockattr_destroy(&attributes);
	rwlock->resource = player_resource(player, "rwlock", &rwlock->lock, 0, false);
	player_all_leave(player, rwlock->resource);
	return errno ? -1 : 0;
}

static struct ledger_entry *got(struct worker *worker, struct logged_rwlock *rwlock, struct ledger_entry *wait)
{
	uint64_t now = clock_ns();

	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, rwlock->resource, now);
}

OUTLINED struct ledger_entry *rwlock_read(struct worker *worker, struct logged_rwlock *rwlock)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, rwlock->resource, clock_ns());

	pthread_rwlock_rdlock(&rwlock->lock);
	return got(worker, rwlock, wait);
}

OUTLINED struct ledger_entry *rwlock_write(struct worker *worker, struct logged_rwlock *rwlock)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, rwlock->resource, clock_ns());

	pthread_rwlock_wrlock(&rwlock->lock);
	return got(worker, rwlock, wait);
}

OUTLINED void rwlock_leave(struct logged_rwlock *rwlock, struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	pthread_rwlock_unlock(&rwlock->lock);
}
