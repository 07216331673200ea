/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "counter.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "player.h"

int counter_make(struct player *player, struct logged_counter *counter)
{
	struct stat info;

	counter->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (counter->fd < 0 || fstat(counter->fd, &info) != 0)
		return -1;
	/* All eventfds share one inode. */
	counter->resource = player_resource(player, "eventfd", NULL, info.st_ino, true);
	return 0;
}

static OUTLINED ssize_t read_counter(const struct worker *worker, int fd)
{
	uint64_t one;
	ssize_t moved;

	do
		moved = read(fd, &one, sizeof(one));
	while (moved < 0 && errno == EINTR && !worker_stopped(worker));
	return moved;
}

bool counter_take(struct worker *worker, const struct logged_counter *counter)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, counter->resource, clock_ns());
	ssize_t moved = read_counter(worker, counter->fd);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return moved > 0;
}

static OUTLINED ssize_t write_counter(int fd, uint64_t count)
{
	return write(fd, &count, sizeof(count));
}

bool counter_give(struct worker *worker, const struct logged_counter *counter, uint64_t count)
{
	worker->log.account->acquisitions++;
	return write_counter(counter->fd, count) > 0;
}
