/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shared.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mutex.h"
#include "player.h"

/* Not at the beginning, so that no place in the file is 0. */
struct segment {
	char header[192];
	struct logged_mutex mutexes[SHARED_MUTEXES];
};

static int file;
static struct segment *segment;

static int map_segment(void)
{
	segment = mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	return segment == MAP_FAILED ? -1 : 0;
}

/* The mapping that was inherited stays where it is, so this one lies elsewhere. */
int shared_settle(struct player *player)
{
	(void)player;
	return map_segment();
}

static int make_mutex(struct player *player, unsigned int number, uint64_t inode)
{
	size_t place = offsetof(struct segment, mutexes[number].mutex);
	struct logged_mutex *made = &segment->mutexes[number];
	pthread_mutexattr_t shared;

	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	errno = pthread_mutex_init(&made->mutex, &shared);
	made->resource = player_resource(player, "mutex", (void *)place, inode, false);
	return errno ? -1 : 0;
}

int shared_make(struct player *player, unsigned int mutexes)
{
	struct stat info;

	file = memfd_create("segment", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, sizeof(*segment)) != 0 || fstat(file, &info) != 0 || map_segment() != 0)
		return -1;
	for (unsigned int i = 0; i < mutexes; i++)
		if (make_mutex(player, i, info.st_ino) != 0)
			return -1;
	return 0;
}

struct logged_mutex *shared_mutex(unsigned int number)
{
	return &segment->mutexes[number];
}
