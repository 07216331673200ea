/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of one thread each want a record lock of fcntl(2), as servers do that take
 * turns to accept. One of them keeps it, half of the time at work and half asleep; each
 * of the others wakes the next when it is done with it.
 */
#include "clock.h"
#include "company.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "filelock.h"
#include "player.h"

static struct logged_filelock table = { .style = FILELOCK_POSIX, .length = 512 };

static void spend(struct worker *worker, uint64_t ns)
{
	compute_ns(worker, ns / 2);
	sleep_ns(worker, ns - ns / 2);
}

static OUTLINED void compact_table(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &table);

	spend(worker, ns);
	filelock_leave(&table, held);
}

static OUTLINED void read_table(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &table);

	compute_ns(worker, ns);
	filelock_leave(&table, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	table.file = filelock_file();
	if (table.file < 0 || filelock_add(player, &table) != 0)
		return -1;
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = 2 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = read_table,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = compact_table, .elsewhere = spend,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	/* No two threads that want the lock may share a process. */
	return player_main(argc, argv, &(struct workload){
		.processes = COMPANY_MAX_PROCESSES, .arrange = arrange,
	});
}
