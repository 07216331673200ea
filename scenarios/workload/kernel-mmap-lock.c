/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread changes the protection of very many mappings by one mprotect(2), which holds
 * the process' mmap_lock for writing from its beginning to its end: the call lasts as long
 * as the lock is held, but for the microseconds in which it may have to wait for it. How
 * many mappings that takes is measured as the workload starts. Meanwhile other threads
 * map memory, queue up for the lock and pass it on to each other.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "player.h"

#define PAGE UINT64_C(4096)
#define MOST_MAPPINGS 60000 /* a process may have 65530 */
#define FEW_MAPPINGS 20
#define TRIAL_MAPPINGS 2000
#define TRIALS 6

static char *arena;
static uint64_t mappings;
static uint32_t mmap_lock; /* resource */

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 11 / 4;
}

static void protect(uint64_t count, bool writable)
{
	mprotect(arena, count * PAGE, writable ? PROT_READ | PROT_WRITE : PROT_READ);
}

static OUTLINED void seal_arena(struct worker *worker, uint64_t count, bool writable)
{
	struct ledger_entry *held = ledger_begin(&worker->log, LEDGER_HOLDING, mmap_lock, clock_ns());

	protect(count, writable);
	ledger_end(held, clock_ns());
	worker->log.account->acquisitions++;
}

static OUTLINED void seal_blocks(struct worker *worker, bool writable)
{
	seal_arena(worker, FEW_MAPPINGS, writable);
}

static void seal(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		bool writable = round % 2;

		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker)) {
			seal_arena(worker, mappings, writable);
		} else {
			seal_blocks(worker, writable);
			compute_ns(worker, worker->player->options.hold_ns);
		}
		worker_done(worker);
	}
}

/* The calls of the others last microseconds if they need not wait. */

static OUTLINED void map_buffer(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, mmap_lock, clock_ns());
	void *buffer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	munmap(buffer, PAGE);
}

/* They come one after the other when the first has just begun. */
static void map(struct worker *worker)
{
	const unsigned int *place = worker->part;
	uint64_t late = worker->player->options.hold_ns * (*place + 1) / 20;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + late);
		if (worker_stopped(worker))
			return;
		map_buffer(worker);
		worker_done(worker);
	}
}

/* Pages of one file the wrong way round, so that no mapping can be merged with the next. */
static int map_arena(uint64_t count)
{
	int file = memfd_create("", MFD_CLOEXEC);

	if (file < 0 || ftruncate(file, (off_t)(count * PAGE)) != 0)
		return -1;
	arena = mmap(NULL, count * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		return -1;
	for (uint64_t i = 0; i < count; i++)
		if (mmap(arena + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
			 (off_t)((count - 1 - i) * PAGE)) == MAP_FAILED)
			return -1;
	close(file);
	return 0;
}

/* The least time that mprotect took for some mappings. */
static uint64_t trial_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIALS; i++) {
		uint64_t begin = clock_ns(), took;

		protect(TRIAL_MAPPINGS, i % 2);
		took = clock_ns() - begin;
		if (took < least)
			least = took;
	}
	return least;
}

static int arrange(struct player *player)
{
	static unsigned int places[PLAYER_MAX_ROLES];

	if (map_arena(TRIAL_MAPPINGS) != 0)
		return -1;
	mappings = player->options.hold_ns * TRIAL_MAPPINGS / trial_ns();
	if (mappings > MOST_MAPPINGS)
		mappings = MOST_MAPPINGS;
	if (munmap(arena, TRIAL_MAPPINGS * PAGE) != 0 || map_arena(mappings) != 0)
		return -1;
	mmap_lock = player_resource(player, "kernel-rwsem", NULL, 0, false);
	player_culprit(player, seal, NULL);
	for (unsigned int i = 0; i < player->options.contenders; i++) {
		places[i % PLAYER_MAX_ROLES] = i;
		/* The first in the queue lets the second go, which waits the longest after it. */
		if (i == 0)
			player_decoy(player, map, &places[i], "last-waker");
		else
			player_role(player, map, &places[i % PLAYER_MAX_ROLES]);
	}
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
