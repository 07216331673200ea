/* SPDX-License-Identifier: Apache-2.0 */
#include "mutex.h"

#include "clock.h"
#include "player.h"

OUTLINED struct ledger_entry *mutex_enter(struct worker *worker, struct logged_mutex *mutex)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, mutex->resource, clock_ns());
	uint64_t now;

	pthread_mutex_lock(&mutex->mutex);
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, mutex->resource, now);
}

OUTLINED void mutex_leave(struct logged_mutex *mutex, struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	pthread_mutex_unlock(&mutex->mutex);
}
