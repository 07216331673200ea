/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads write to one file, each at its own place, for which the kernel takes the
 * inode's rwsem; the file is in memory (shmem), where every write does. One thread writes
 * from memory that comes late, and so holds the rwsem for as long as it takes to come
 * (lib/paged.h); the others hold it for a millisecond or two in the same way and pass it
 * on to each other.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "crowd.h"
#include "decoys.h"
#include "paged.h"
#include "player.h"

static int file;
static uint32_t rwsem; /* resource */

static OUTLINED long write_record(struct worker *worker, void *page)
{
	return pwrite(file, page, PAGED_SIZE, (off_t)worker->index * PAGED_SIZE);
}

static OUTLINED void store_snapshot(struct worker *worker, uint64_t ns)
{
	paged_call(worker, rwsem, ns, write_record);
}

static OUTLINED void store_change(struct worker *worker, uint64_t ns)
{
	paged_call(worker, rwsem, ns, write_record);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	file = memfd_create("", MFD_CLOEXEC);
	if (file < 0 || paged_make() != 0)
		return -1;
	rwsem = player_resource(player, "kernel-rwsem", NULL, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = 2 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = store_change,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = store_snapshot, .elsewhere = paged_touch,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	paged_add_pager(player);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
