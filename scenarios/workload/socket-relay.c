/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients ask a relay, which asks a backend and passes the answer back: all of them
 * wait while the backend computes, and the clients are woken by the relay alone. In the
 * twin the backend sleeps until it has the answers, and computes once they are given.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "socket.h"

struct client {
	struct logged_socket answers;
};

static struct logged_socket front;           /* from all clients to the relay */
static struct logged_socket queries, results; /* between the relay and the backend */
static struct client clients[PLAYER_MAX_ROLES];
static unsigned int count;

/* In a round each client asks once. */
static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * count * 7 / 2;
}

static OUTLINED void evaluate_query(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, results.data);
	struct ledger_entry *clears = work_begin(worker, queries.room);

	compute_ns(worker, ns);
	work_end(work);
	work_end(clears);
	socket_give(worker, &results, SOCKET_ITEM);
}

static OUTLINED void return_cached(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, results.data);

	compute_blocks(worker, 20);
	work_end(work);
	socket_give(worker, &results, SOCKET_ITEM);
}

static bool answer_all(struct worker *worker, uint64_t ns, uint64_t round)
{
	if (!worker_faulty(worker))
		sleep_ns(worker, count * ns);
	for (unsigned int i = 0; i < count; i++) {
		if (worker_stopped(worker) || !socket_take(worker, &queries))
			return false;
		if (worker_faulty(worker))
			evaluate_query(worker, ns);
		else
			return_cached(worker);
	}
	/* As much as in the fault, while nobody waits. */
	if (!worker_faulty(worker))
		compute_within(worker, count * ns, round_begin(worker, round + 1));
	return true;
}

/* The clients come at the beginning of a round, the relay and the backend a little later. */

static void backend(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 20;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (!answer_all(worker, worker->player->options.hold_ns, round))
			return;
		worker_done(worker);
	}
}

static OUTLINED bool relay_one(struct worker *worker, const struct client *client)
{
	struct ledger_entry *work = work_begin(worker, client->answers.data);
	struct ledger_entry *asks = work_begin(worker, queries.data);
	bool relayed = socket_take(worker, &front);

	compute_blocks(worker, 100);
	work_end(asks);
	relayed = relayed && socket_give(worker, &queries, SOCKET_ITEM) && socket_take(worker, &results);
	compute_blocks(worker, 100);
	work_end(work);
	return relayed && socket_give(worker, &client->answers, SOCKET_ITEM);
}

static void relay(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 25;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		for (unsigned int i = 0; i < count; i++)
			if (worker_stopped(worker) || !relay_one(worker, &clients[i]))
				return;
		worker_done(worker);
	}
}

static void ask(struct worker *worker)
{
	const struct client *client = worker->part;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		work = work_begin(worker, front.data);
		compute_blocks(worker, 20);
		work_end(work);
		if (!socket_give(worker, &front, SOCKET_ITEM) || !socket_take(worker, &client->answers))
			return;
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	count = (unsigned int)player->options.contenders;
	if (count > PLAYER_MAX_ROLES || socket_make(player, &front, NULL) != 0 ||
	    socket_make(player, &queries, &results) != 0)
		return -1;
	player_culprit(player, backend, NULL);
	player_decoy(player, relay, NULL, "last-waker");
	for (unsigned int i = 0; i < count; i++) {
		if (socket_make(player, &clients[i].answers, NULL) != 0)
			return -1;
		player_role(player, ask, &clients[i]);
	}
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
