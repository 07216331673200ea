/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that pass a token to and fro and compute the same before each reply:
 * each waits for the other about half of the time. A reply takes much longer than the
 * system calls around it, which the ledger cannot tell from waiting.
 */
#include "compute.h"
#include "pipe.h"
#include "player.h"

#define REPLY_BLOCKS 500

struct side {
	const struct logged_pipe *out, *in;
	bool first;
};

static bool reply(struct worker *worker, const struct logged_pipe *out)
{
	struct ledger_entry *work = work_begin(worker, out->data);

	compute_blocks(worker, REPLY_BLOCKS);
	work_end(work);
	return pipe_give(worker, out, 1);
}

static void converse(struct worker *worker)
{
	const struct side *side = worker->part;

	if (side->first && !reply(worker, side->out))
		return;
	while (!worker_stopped(worker)) {
		if (!pipe_take(worker, side->in, 1) || !reply(worker, side->out))
			return;
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	static struct logged_pipe there, back;
	static struct side one, other;

	if (pipe_make(player, &there) != 0 || pipe_make(player, &back) != 0)
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
