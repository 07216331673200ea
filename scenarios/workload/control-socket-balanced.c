/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that ask and answer over a pair of local sockets and compute the
 * same before each message: each waits for the other about half of the time.
 */
#include "clock.h"
#include "compute.h"
#include "pipe.h"
#include "player.h"
#include "socket.h"

#define MESSAGE_BLOCKS 300
#define TALK 8 /* messages each, and then a rest for both */
#define TALK_PERIOD (16 * MILLISECOND)

struct side {
	const struct logged_socket *out, *in;
	bool first;
};

static OUTLINED bool say_something(struct worker *worker, const struct logged_socket *out)
{
	struct ledger_entry *work = work_begin(worker, out->data);

	compute_blocks(worker, MESSAGE_BLOCKS);
	work_end(work);
	return socket_give(worker, out, 512);
}

static bool talk(struct worker *worker, const struct side *side)
{
	for (int i = 0; i < TALK; i++) {
		if (side->first && !say_something(worker, side->out))
			return false;
		if (!socket_take(worker, side->in))
			return false;
		if (!side->first && !say_something(worker, side->out))
			return false;
	}
	return true;
}

static void converse(struct worker *worker)
{
	for (uint64_t turn = 0;; turn++) {
		sleep_until(worker, worker->start_ns + turn * TALK_PERIOD);
		if (worker_stopped(worker) || !talk(worker, worker->part))
			return;
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	static struct logged_socket there, back;
	static struct side one, other;

	if (socket_make(player, &there, &back) != 0)
		return -1;
	one = (struct side){ .out = &there, .in = &back, .first = true };
	other = (struct side){ .out = &back, .in = &there };
	player_role(player, converse, &one);
	player_role(player, converse, &other);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
