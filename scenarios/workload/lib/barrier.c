/* SPDX-License-Identifier: Apache-2.0 */
#include "barrier.h"

#include <errno.h>

#include "clock.h"
#include "player.h"

int barrier_make(struct player *player, struct logged_barrier *barrier, unsigned int count)
{
	errno = pthread_barrier_init(&barrier->barrier, NULL, count);
	barrier->resource = player_resource(player, "barrier", &barrier->barrier, 0, false);
	player_all_leave(player, barrier->resource);
	return errno ? -1 : 0;
}

struct ledger_entry *barrier_approach(struct worker *worker, const struct logged_barrier *barrier)
{
	return ledger_begin(&worker->log, LEDGER_HOLDING, barrier->resource, clock_ns());
}

OUTLINED void barrier_meet(struct worker *worker, struct logged_barrier *barrier, struct ledger_entry *way)
{
	uint64_t now = clock_ns();
	struct ledger_entry *wait;

	ledger_end(way, now);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, barrier->resource, now);
	pthread_barrier_wait(&barrier->barrier);
	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
}
