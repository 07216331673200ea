/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three stages over two pipes. The first computes each item for long, and the last,
 * which is woken by the second, waits for the first by way of it. In the twin the
 * first sleeps until there is something to pass on and computes afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"

static struct logged_pipe raw, parsed;

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 7 / 2;
}

static OUTLINED void decode_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, raw.data);

	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &raw, PIPE_ITEM);
}

static OUTLINED void forward_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	sleep_ns(worker, ns);
	work = work_begin(worker, raw.data);
	compute_blocks(worker, 20);
	work_end(work);
	pipe_give(worker, &raw, PIPE_ITEM);
	compute_ns(worker, ns); /* as much as in the fault, while nobody waits */
}

static OUTLINED void parse_segment(struct worker *worker)
{
	struct ledger_entry *makes = work_begin(worker, parsed.data);
	struct ledger_entry *clears = work_begin(worker, raw.room);

	compute_ns(worker, worker->player->options.hold_ns / 50);
	work_end(makes);
	work_end(clears);
	pipe_give(worker, &parsed, PIPE_ITEM);
}

static void first(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			decode_segment(worker, worker->player->options.hold_ns);
		else
			forward_segment(worker, worker->player->options.hold_ns);
		worker_done(worker);
	}
}

/* The second and the third come when the first has just begun. */

static void second(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 40;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !pipe_take(worker, &raw, PIPE_ITEM))
			return;
		parse_segment(worker);
		worker_done(worker);
	}
}

static void third(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 30;

	for (uint64_t round = 0;; round++) {
		struct ledger_entry *work;

		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !pipe_take(worker, &parsed, PIPE_ITEM))
			return;
		work = work_begin(worker, parsed.room);
		compute_blocks(worker, 100);
		work_end(work);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	if (pipe_make(player, &raw) != 0 || pipe_make(player, &parsed) != 0)
		return -1;
	player_culprit(player, first, NULL);
	player_decoy(player, second, NULL, "last-waker");
	player_role(player, third, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
