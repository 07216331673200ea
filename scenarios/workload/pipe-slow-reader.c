/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer waits for room in a full pipe, because its reader computes for long before
 * it takes each item. In the twin the reader sleeps until it wants the next, and computes
 * afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"

static struct logged_pipe frames;

static uint64_t period(const struct worker *worker)
{
	return worker->player->options.hold_ns * 7 / 2;
}

static OUTLINED void render_frame(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, frames.room);

	compute_ns(worker, ns);
	work_end(work);
	pipe_take(worker, &frames, PIPE_ITEM);
}

static OUTLINED void show_frame(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	sleep_ns(worker, ns);
	work = work_begin(worker, frames.room);
	compute_blocks(worker, 20);
	work_end(work);
	pipe_take(worker, &frames, PIPE_ITEM);
	compute_ns(worker, ns); /* as much as in the fault, while nobody waits */
}

static void read_frames(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, worker->start_ns + round * period(worker));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			render_frame(worker, worker->player->options.hold_ns);
		else
			show_frame(worker, worker->player->options.hold_ns);
		worker_done(worker);
	}
}

/* Comes when the reader has just begun, so that it never waits for a sleeping one. */
static void write_frames(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 40;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, worker->start_ns + round * period(worker) + late);
		if (worker_stopped(worker))
			return;
		work = work_begin(worker, frames.data);
		compute_blocks(worker, 100);
		work_end(work);
		if (!pipe_give(worker, &frames, PIPE_ITEM))
			return;
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	if (pipe_make(player, &frames) != 0 || pipe_fill(&frames) != 0)
		return -1;
	player_culprit(player, read_frames, NULL);
	player_role(player, write_frames, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
