/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it reads under a lock. A writer waits for it, and those who
 * come to read wait behind the writer.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "gathering.h"
#include "player.h"
#include "rwlock.h"

static struct logged_rwlock routes;

static OUTLINED void dump_routes(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = rwlock_read(worker, &routes);

	sleep_ns(worker, ns);
	rwlock_leave(&routes, held);
}

static OUTLINED void add_route(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = rwlock_write(worker, &routes);

	compute_ns(worker, ns);
	rwlock_leave(&routes, held);
}

static OUTLINED void find_route(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = rwlock_read(worker, &routes);

	sleep_ns(worker, ns);
	rwlock_leave(&routes, held);
}

static int arrange(struct player *player)
{
	if (rwlock_make(player, &routes) != 0)
		return -1;
	gathering_add(player, &(struct gathering){
		.keep = dump_routes,
		.keep_briefly = find_route,
		.elsewhere = sleep_ns,
		.follow = add_route,
		.visit = find_route,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
