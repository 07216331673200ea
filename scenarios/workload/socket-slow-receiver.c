/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads hand messages to a router by one socket, and it hands them on by another,
 * whose receiver computes for long before it takes each. So the router waits for room,
 * and the others for room that the router makes. In the twin the receiver sleeps until
 * it wants the messages, and computes once it has them.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "socket.h"

static struct logged_socket intake, outlet;
static unsigned int senders;

/* A round is as many messages as there are threads that send. */
static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * senders * 3;
}

static OUTLINED void encode_tile(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, outlet.room);

	compute_ns(worker, ns);
	work_end(work);
	socket_take(worker, &outlet);
}

static OUTLINED void drop_tile(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, outlet.room);

	compute_blocks(worker, 20);
	work_end(work);
	socket_take(worker, &outlet);
}

static void encode_tiles(struct worker *worker, uint64_t ns)
{
	for (unsigned int i = 0; i < senders && !worker_stopped(worker); i++)
		encode_tile(worker, ns);
}

static void drop_tiles(struct worker *worker, uint64_t ns, uint64_t round)
{
	sleep_ns(worker, senders * ns);
	for (unsigned int i = 0; i < senders && !worker_stopped(worker); i++)
		drop_tile(worker);
	/* As much as in the fault, while nobody waits. */
	compute_within(worker, senders * ns, round_begin(worker, round + 1));
}

static void receive_tiles(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			encode_tiles(worker, worker->player->options.hold_ns);
		else
			drop_tiles(worker, worker->player->options.hold_ns, round);
		worker_done(worker);
	}
}

static OUTLINED bool route_tile(struct worker *worker)
{
	struct ledger_entry *makes, *clears;

	if (!socket_take(worker, &intake))
		return false;
	makes = work_begin(worker, outlet.data);
	clears = work_begin(worker, intake.room);
	compute_ns(worker, worker->player->options.hold_ns / 50);
	work_end(makes);
	work_end(clears);
	return socket_give(worker, &outlet, SOCKET_ITEM);
}

/* The router and the senders come when the receiver has just begun. */

static void route(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 20;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		for (unsigned int i = 0; i < senders; i++)
			if (worker_stopped(worker) || !route_tile(worker))
				return;
		worker_done(worker);
	}
}

static void send_tiles(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 8;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker))
			return;
		work = work_begin(worker, intake.data);
		compute_blocks(worker, 100);
		work_end(work);
		if (!socket_give(worker, &intake, SOCKET_ITEM))
			return;
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	senders = (unsigned int)player->options.contenders;
	if (socket_make(player, &intake, NULL) != 0 || socket_fill(&intake) != 0 ||
	    socket_make(player, &outlet, NULL) != 0 || socket_fill(&outlet) != 0)
		return -1;
	player_culprit(player, receive_tiles, NULL);
	player_decoy(player, route, NULL, "last-waker");
	for (unsigned int i = 0; i < senders; i++)
		player_role(player, send_tiles, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
