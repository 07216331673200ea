/* SPDX-License-Identifier: Apache-2.0 */
#include "sem.h"

#include <errno.h>

#include "clock.h"
#include "player.h"

int sem_make_permits(struct player *player, struct logged_sem *sem, unsigned int permits)
{
	sem->resource = player_resource(player, "semaphore", &sem->sem, 0, false);
	return sem_init(&sem->sem, 0, permits);
}

int sem_make_stock(struct player *player, struct logged_sem *sem)
{
	sem->resource = player_resource(player, "semaphore", &sem->sem, 0, true);
	return sem_init(&sem->sem, 0, 0);
}

/* An interrupted wait is begun again, unless the run is over. */
static bool down(const struct worker *worker, struct logged_sem *sem)
{
	while (sem_wait(&sem->sem) != 0)
		if (errno != EINTR || worker_stopped(worker))
			return false;
	return true;
}

OUTLINED struct ledger_entry *sem_enter(struct worker *worker, struct logged_sem *sem)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, sem->resource, clock_ns());
	uint64_t now;

	/* Permits come back by themselves at the end of a run, too. */
	while (!down(worker, sem))
		;
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, sem->resource, now);
}

OUTLINED void sem_leave(struct logged_sem *sem, struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	sem_post(&sem->sem);
}

OUTLINED bool sem_take(struct worker *worker, struct logged_sem *sem)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, sem->resource, clock_ns());
	bool taken = down(worker, sem);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return taken;
}

OUTLINED void sem_give(struct worker *worker, struct logged_sem *sem, uint64_t items)
{
	while (items-- > 0) {
		sem_post(&sem->sem);
		worker->log.account->acquisitions++;
	}
}
