/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread computes each message for long before it sends it to a hub, which passes a
 * copy to each subscriber: all wait for the first, and all but the hub are woken by the
 * hub. In the twin the first sleeps until there is something to send and computes
 * afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "socket.h"

static struct logged_socket quotes;
static struct logged_socket subscriptions[PLAYER_MAX_ROLES];
static unsigned int subscribers;

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 7 / 2;
}

static OUTLINED void price_options(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, quotes.data);

	compute_ns(worker, ns);
	work_end(work);
	socket_give(worker, &quotes, SOCKET_ITEM);
}

static OUTLINED void send_prices(struct worker *worker, uint64_t ns, uint64_t round)
{
	struct ledger_entry *work;

	sleep_ns(worker, ns);
	work = work_begin(worker, quotes.data);
	compute_blocks(worker, 20);
	work_end(work);
	socket_give(worker, &quotes, SOCKET_ITEM);
	/* As much as in the fault, while nobody waits. */
	compute_within(worker, ns, round_begin(worker, round + 1));
}

static void price(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			price_options(worker, worker->player->options.hold_ns);
		else
			send_prices(worker, worker->player->options.hold_ns, round);
		worker_done(worker);
	}
}

static OUTLINED bool copy_to(struct worker *worker, const struct logged_socket *subscription)
{
	struct ledger_entry *makes = work_begin(worker, subscription->data);
	struct ledger_entry *clears = work_begin(worker, quotes.room);

	compute_ns(worker, worker->player->options.hold_ns / 200);
	work_end(makes);
	work_end(clears);
	return socket_give(worker, subscription, SOCKET_ITEM);
}

/* All others come when the first has just begun. */

static void distribute(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 40;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !socket_take(worker, &quotes))
			return;
		for (unsigned int i = 0; i < subscribers; i++)
			if (!copy_to(worker, &subscriptions[i]))
				return;
		worker_done(worker);
	}
}

static void follow(struct worker *worker)
{
	const struct logged_socket *subscription = worker->part;
	uint64_t late = worker->player->options.hold_ns / 30;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !socket_take(worker, subscription))
			return;
		work = work_begin(worker, subscription->room);
		compute_blocks(worker, 100);
		work_end(work);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	subscribers = (unsigned int)player->options.contenders;
	if (subscribers > PLAYER_MAX_ROLES || socket_make(player, &quotes, NULL) != 0)
		return -1;
	player_culprit(player, price, NULL);
	player_decoy(player, distribute, NULL, "last-waker");
	for (unsigned int i = 0; i < subscribers; i++) {
		if (socket_make(player, &subscriptions[i], NULL) != 0)
			return -1;
		player_role(player, follow, &subscriptions[i]);
	}
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
