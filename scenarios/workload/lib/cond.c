/* SPDX-License-Identifier: Apache-2.0 */
#include "cond.h"

#include "clock.h"
#include "player.h"

void cond_stock_add(struct player *player, struct cond_stock *stock)
{
	stock->mutex.resource = player_resource(player, "mutex", &stock->mutex.mutex, 0, false);
	stock->coming = player_resource(player, "condvar", &stock->more, 0, true);
}

static OUTLINED void wait_for_signal(struct cond_stock *stock)
{
	pthread_cond_wait(&stock->more, &stock->mutex.mutex);
}

static struct ledger_entry *await_more(struct worker *worker, struct cond_stock *stock,
				       struct ledger_entry *held)
{
	uint64_t now = clock_ns();
	struct ledger_entry *wait;

	ledger_end(held, now);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, stock->coming, now);
	wait_for_signal(stock);
	now = clock_ns();
	ledger_end(wait, now);
	return ledger_begin(&worker->log, LEDGER_HOLDING, stock->mutex.resource, now);
}

bool cond_take(struct worker *worker, struct cond_stock *stock)
{
	struct ledger_entry *held = mutex_enter(worker, &stock->mutex);
	bool taken;

	while (stock->items == 0 && !worker_stopped(worker))
		held = await_more(worker, stock, held);
	taken = stock->items > 0;
	if (taken)
		stock->items--;
	mutex_leave(&stock->mutex, held);
	return taken && !worker_stopped(worker);
}

OUTLINED void cond_give(struct worker *worker, struct cond_stock *stock, uint64_t items)
{
	struct ledger_entry *held = mutex_enter(worker, &stock->mutex);

	stock->items += items;
	mutex_leave(&stock->mutex, held);
	pthread_cond_broadcast(&stock->more);
}

void cond_wake(struct cond_stock *stock)
{
	pthread_mutex_lock(&stock->mutex.mutex);
	pthread_cond_broadcast(&stock->more);
	pthread_mutex_unlock(&stock->mutex.mutex);
}
