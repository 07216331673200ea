/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader waits for a writer that computes each item for long. In the twin the
 * writer sleeps until there is something to write and computes afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"

static struct logged_pipe blocks;

static uint64_t period(const struct worker *worker)
{
	return worker->player->options.hold_ns * 7 / 2;
}

static OUTLINED void compress_block(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, blocks.data);

	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &blocks, PIPE_ITEM);
}

static OUTLINED void pass_block(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	sleep_ns(worker, ns);
	work = work_begin(worker, blocks.data);
	compute_blocks(worker, 20);
	work_end(work);
	pipe_give(worker, &blocks, PIPE_ITEM);
	compute_ns(worker, ns); /* as much as in the fault, while nobody waits */
}

static void write_blocks(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, worker->start_ns + round * period(worker));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			compress_block(worker, worker->player->options.hold_ns);
		else
			pass_block(worker, worker->player->options.hold_ns);
		worker_done(worker);
	}
}

/* Comes when the writer has just begun, so that it never waits for a sleeping one. */
static void read_blocks(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 40;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, worker->start_ns + round * period(worker) + late);
		if (worker_stopped(worker) || !pipe_take(worker, &blocks, PIPE_ITEM))
			return;
		work = work_begin(worker, blocks.room);
		compute_blocks(worker, 100);
		work_end(work);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	if (pipe_make(player, &blocks) != 0)
		return -1;
	player_culprit(player, write_blocks, NULL);
	player_role(player, read_blocks, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
