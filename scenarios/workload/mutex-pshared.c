/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a mutex that two processes share, in memory without a
 * file that both have from before they parted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>

#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

/* Not at the beginning, so that its place in the memory is not 0. */
struct pool {
	char header[256];
	struct logged_mutex blocks;
};

static struct pool *pool;

static OUTLINED void compact_blocks(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &pool->blocks);

	sleep_ns(worker, ns);
	mutex_leave(&pool->blocks, held);
}

static OUTLINED void allocate_block(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &pool->blocks);

	compute_ns(worker, ns);
	mutex_leave(&pool->blocks, held);
}

/* Memory without a file has an inode all the same. Returns 0 if it is not to be had. */
static uint64_t inode_of(const void *memory)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t inode = 0;
	uintptr_t begin;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%*x %*s %*x %*s %" SCNu64, &begin, &inode) == 2 &&
		    begin == (uintptr_t)memory)
			break;
		else
			inode = 0;
	if (maps)
		fclose(maps);
	return inode;
}

static int make_pool(struct player *player)
{
	pthread_mutexattr_t shared;
	uint64_t inode;

	pool = mmap(NULL, sizeof(*pool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pool == MAP_FAILED)
		return -1;
	inode = inode_of(pool);
	errno = inode ? 0 : ENOENT;
	if (errno)
		return -1;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	errno = pthread_mutex_init(&pool->blocks.mutex, &shared);
	/* Named as the kernel knows it: by the inode and the place in it. */
	pool->blocks.resource =
		player_resource(player, "mutex", (void *)offsetof(struct pool, blocks.mutex), inode, false);
	return errno ? -1 : 0;
}

static int arrange(struct player *player)
{
	if (make_pool(player) != 0)
		return -1;
	convoy_add(player, &(struct convoy){
		.keep = compact_blocks, .elsewhere = sleep_ns, .visit = allocate_block,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .processes = 2 });
}
