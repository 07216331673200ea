/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a whole file by flock(2), and the others, which hold
 * it for a millisecond or two, pass it on to each other afterwards: of those that wait,
 * only the first is woken by the thread at fault.
 */
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "filelock.h"
#include "player.h"

static struct logged_filelock journal = { .style = FILELOCK_FLOCK };

static OUTLINED void rotate_journal(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &journal);

	sleep_ns(worker, ns);
	filelock_leave(&journal, held);
}

static OUTLINED void append_entry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = filelock_enter(worker, &journal);

	compute_ns(worker, ns);
	filelock_leave(&journal, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	journal.file = filelock_file();
	if (journal.file < 0 || filelock_add(player, &journal) != 0)
		return -1;
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = 2 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = append_entry,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = rotate_journal, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
