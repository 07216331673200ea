/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread computes a little while it holds a mutex, in a control group that has used up
 * its CPU quota before it has done, so that it is not let run until the next period. Its
 * CPU is had by one of another group meanwhile, which is as nice as can be and would give
 * way at once. In the twin the quota is two CPUs.
 */
#include <sys/resource.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "onecpu.h"
#include "player.h"
#include "quota.h"
#include "turns.h"

static struct logged_mutex invoices = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static bool settled[PLAYER_MAX_ROLES];

/* Joins the CPU in the first turn. */
static void settle(const struct worker *worker, int nice)
{
	if (settled[worker->index])
		return;
	onecpu_join(0);
	/* Of Linux: 0 is the calling thread, not its process. */
	settled[worker->index] = setpriority(PRIO_PROCESS, 0, nice) == 0;
}

static OUTLINED void print_invoices(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held;

	if (!settled[worker->index])
		quota_join();
	settle(worker, 0);
	held = mutex_enter(worker, &invoices);
	quota_compute(worker, ns);
	mutex_leave(&invoices, held);
}

static OUTLINED void index_archive(struct worker *worker, uint64_t ns)
{
	settle(worker, 19);
	onecpu_compute(worker, ns);
}

static OUTLINED void add_invoice(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &invoices);

	compute_ns(worker, ns);
	mutex_leave(&invoices, held);
}

static uint64_t at_least(uint64_t ns, uint64_t least)
{
	return ns > least ? ns : least;
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t round = at_least(5 * hold, 200 * MILLISECOND);
	/* The kernel takes no period and no quota below a millisecond. */
	uint64_t period = at_least(hold, MILLISECOND), quota = at_least(hold / 40, MILLISECOND);
	bool fault = player->options.variant == VARIANT_FAULT;

	if (onecpu_set_apart(player) != 0 || quota_make(fault ? quota : 2 * period, period) != 0)
		return -1;
	invoices.resource = player_resource(player, "mutex", &invoices.mutex, 0, false);
	/*
	 * What is computed takes the quota of four periods and a little more. That of one it
	 * may have saved up (the scheduler leaves 1 ms with a CPU), so it stops at least once.
	 */
	turns_add_culprit(player, (struct turns){
		.period_ns = round, .span_ns = quota * 17 / 4, .act = print_invoices,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = round, .phase_ns = hold / 8, .span_ns = hold / 2, .act = index_archive,
	}, "occupant");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = round, .phase_ns = hold / 80 + i * hold / 400, .span_ns = hold / 400,
			.act = add_invoice,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
