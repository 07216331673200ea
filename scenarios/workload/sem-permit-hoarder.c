/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two permits for a pool of connections: one thread keeps one of them for long, and
 * the others take turns with the one that is left, so that nearly all waits are ended by
 * them. The one waits for its permit as all do, and gives it back while others wait: a
 * permit that nobody misses as it is taken and given back leaves no trace.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "player.h"
#include "sem.h"

#define PERMITS 2
#define TURNS 6 /* of each in a round */

static struct logged_sem connections;

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 21 / 10;
}

/*
 * All turns of a round take twice as long as the one keeps its permit: it may have waited
 * for some of them, and when it gives the permit back others still wait.
 */
static uint64_t turn_ns(const struct worker *worker)
{
	const struct options *options = &worker->player->options;

	return options->hold_ns * 19 / 10 / (options->contenders * TURNS);
}

static OUTLINED void export_report(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = sem_enter(worker, &connections);

	sleep_ns(worker, ns);
	sem_leave(&connections, held);
}

static OUTLINED void run_query(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = sem_enter(worker, &connections);

	sleep_ns(worker, ns * 9 / 10);
	compute_ns(worker, ns / 10);
	sem_leave(&connections, held);
}

static void hoard(struct worker *worker)
{
	uint64_t hold = worker->player->options.hold_ns;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + worker->player->options.hold_ns / 50);
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker)) {
			export_report(worker, hold);
		} else {
			run_query(worker, turn_ns(worker));
			sleep_ns(worker, hold - turn_ns(worker));
		}
		worker_done(worker);
	}
}

static void take_turns(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		for (int i = 0; i < TURNS; i++) {
			if (worker_stopped(worker))
				return;
			run_query(worker, turn_ns(worker));
			worker_done(worker);
			sleep_ns(worker, turn_ns(worker)); /* so that the next in line gets the permit */
		}
	}
}

static int arrange(struct player *player)
{
	if (sem_make_permits(player, &connections, PERMITS) != 0)
		return -1;
	player_culprit(player, hoard, NULL);
	player_decoy(player, take_turns, NULL, "last-waker");
	for (uint64_t i = 1; i < player->options.contenders; i++)
		player_role(player, take_turns, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
