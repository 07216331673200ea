/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that go from step to step together, by a barrier of two levels: those of a
 * group meet, then the leaders of the groups, who let their groups go on. One thread is
 * slow to come, by turns computing and asleep, and lets go only its own leader: all the
 * others are let go by theirs. In the twin it does as much after the step.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "barrier.h"
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "player.h"

struct group {
	struct logged_barrier come, go;
};

static struct group small, large; /* the one with the straggler, and the rest */
static struct logged_barrier leaders;
static _Atomic uint64_t last = UINT64_MAX; /* round; set by one before all meet in it */

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 5 / 2;
}

#define TURNS 10

/* Takes about ns, less than a half of it on the CPU, or until a deadline. */
static OUTLINED void integrate_cells(struct worker *worker, uint64_t ns, uint64_t deadline_ns)
{
	for (int i = 0; i < TURNS && clock_ns() < deadline_ns; i++) {
		compute_ns(worker, ns / TURNS * 4 / 10);
		sleep_ns(worker, ns / TURNS * 6 / 10);
	}
}

static OUTLINED void exchange_halo(struct worker *worker)
{
	compute_ns(worker, worker->player->options.hold_ns / 100);
}

/*
 * Every step: all come, the leaders meet, all go. Each is on its way from the end of the
 * step before.
 */

static void be_straggler(struct worker *worker)
{
	uint64_t hold = worker->player->options.hold_ns;

	for (uint64_t round = 0; round <= atomic_load(&last); round++) {
		struct ledger_entry *come = barrier_approach(worker, &small.come);
		struct ledger_entry *go = barrier_approach(worker, &small.go);

		/* What it does after a step in the twin ends well before the next. */
		if (!worker_faulty(worker) && round > 0)
			integrate_cells(worker, hold, round_begin(worker, round) - hold / 4);
		sleep_until(worker, round_begin(worker, round));
		exchange_halo(worker);
		if (worker_faulty(worker))
			integrate_cells(worker, hold, UINT64_MAX);
		barrier_meet(worker, &small.come, come);
		barrier_meet(worker, &small.go, go);
		worker_done(worker);
	}
}

static void be_member(struct worker *worker)
{
	for (uint64_t round = 0; round <= atomic_load(&last); round++) {
		struct ledger_entry *come = barrier_approach(worker, &large.come);
		struct ledger_entry *go = barrier_approach(worker, &large.go);

		sleep_until(worker, round_begin(worker, round));
		exchange_halo(worker);
		barrier_meet(worker, &large.come, come);
		barrier_meet(worker, &large.go, go);
		worker_done(worker);
	}
}

static void lead(struct worker *worker, struct group *group, uint64_t round)
{
	struct ledger_entry *come = barrier_approach(worker, &group->come);
	struct ledger_entry *meet = barrier_approach(worker, &leaders);
	struct ledger_entry *go = barrier_approach(worker, &group->go);

	sleep_until(worker, round_begin(worker, round));
	/* Nobody leaves a step before both leaders have met in it: all know the last. */
	if (group == &small && worker_stopped(worker))
		atomic_store(&last, round);
	exchange_halo(worker);
	barrier_meet(worker, &group->come, come);
	barrier_meet(worker, &leaders, meet);
	barrier_meet(worker, &group->go, go);
	worker_done(worker);
}

static void be_leader_of_one(struct worker *worker)
{
	for (uint64_t round = 0; round <= atomic_load(&last); round++)
		lead(worker, &small, round);
}

static void be_leader_of_many(struct worker *worker)
{
	for (uint64_t round = 0; round <= atomic_load(&last); round++)
		lead(worker, &large, round);
}

static int arrange(struct player *player)
{
	unsigned int many = (unsigned int)player->options.contenders;

	if (barrier_make(player, &small.come, 2) != 0 || barrier_make(player, &small.go, 2) != 0 ||
	    barrier_make(player, &large.come, 1 + many) != 0 || barrier_make(player, &large.go, 1 + many) != 0 ||
	    barrier_make(player, &leaders, 2) != 0)
		return -1;
	player_culprit(player, be_straggler, NULL);
	player_role(player, be_leader_of_one, NULL);
	player_decoy(player, be_leader_of_many, NULL, "last-waker");
	for (unsigned int i = 0; i < many; i++)
		player_role(player, be_member, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
