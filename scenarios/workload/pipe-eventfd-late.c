/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread computes for long before it counts an eventfd up, a second one waits for
 * that and gives as many permits as there are workers, by another eventfd: the workers
 * wait for the first and are woken by the second. In the twin the first sleeps until
 * its time has come and computes afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "counter.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"

static struct logged_counter batches, permits;

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 7 / 2;
}

static OUTLINED void assemble_batch(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, batches.resource);

	compute_ns(worker, ns);
	work_end(work);
	counter_give(worker, &batches, 1);
}

static OUTLINED void announce_batch(struct worker *worker, uint64_t ns, uint64_t round)
{
	struct ledger_entry *work;

	sleep_ns(worker, ns);
	work = work_begin(worker, batches.resource);
	compute_blocks(worker, 20);
	work_end(work);
	counter_give(worker, &batches, 1);
	/* As much as in the fault, while nobody waits. */
	compute_within(worker, ns, round_begin(worker, round + 1));
}

static void assemble(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker))
			assemble_batch(worker, worker->player->options.hold_ns);
		else
			announce_batch(worker, worker->player->options.hold_ns, round);
		worker_done(worker);
	}
}

static OUTLINED void grant_permits(struct worker *worker)
{
	struct ledger_entry *work = work_begin(worker, permits.resource);

	compute_ns(worker, worker->player->options.hold_ns / 50);
	work_end(work);
	counter_give(worker, &permits, worker->player->options.contenders);
}

/* All others come when the first has just begun. */

static void dispatch(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 40;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !counter_take(worker, &batches))
			return;
		grant_permits(worker);
		worker_done(worker);
	}
}

static void process(struct worker *worker)
{
	uint64_t late = worker->player->options.hold_ns / 30;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker) || !counter_take(worker, &permits))
			return;
		compute_blocks(worker, 100);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	if (counter_make(player, &batches) != 0 || counter_make(player, &permits) != 0)
		return -1;
	player_culprit(player, assemble, NULL);
	player_decoy(player, dispatch, NULL, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, process, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
