/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a mutex in memory that two processes share, each
 * at an address of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

/* Not at the beginning, so that its place in the file is not 0. */
struct segment {
	char header[192];
	struct logged_mutex index;
};

static int file;
static struct segment *segment;

static int map_segment(void)
{
	segment = mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	return segment == MAP_FAILED ? -1 : 0;
}

/* The mapping that was inherited stays where it is, so this one lies elsewhere. */
static int settle(struct player *player)
{
	(void)player;
	return map_segment();
}

static OUTLINED void merge_index(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &segment->index);

	sleep_ns(worker, ns);
	mutex_leave(&segment->index, held);
}

static OUTLINED void update_entry(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &segment->index);

	compute_ns(worker, ns);
	mutex_leave(&segment->index, held);
}

static int make_segment(struct player *player)
{
	size_t place = offsetof(struct segment, index.mutex);
	pthread_mutexattr_t shared;
	struct stat info;

	file = memfd_create("segment", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, sizeof(*segment)) != 0 || fstat(file, &info) != 0 || map_segment() != 0)
		return -1;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	errno = pthread_mutex_init(&segment->index.mutex, &shared);
	if (errno)
		return -1;
	/* Named as the kernel knows it: by the file and the place in it. */
	segment->index.resource = player_resource(player, "mutex", (void *)place, info.st_ino, false);
	return 0;
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold / 100;

	if (make_segment(player) != 0)
		return -1;
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 2 },
		.lead_ns = brief / 2,
		.delay_ns = brief / 2,
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = update_entry,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = merge_index, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.arrange = arrange, .settle = settle, .processes = 2,
	});
}
