/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "player.h"

int pipe_make(struct player *player, struct logged_pipe *pipe)
{
	struct stat info;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0 || fstat(ends[0], &info) != 0)
		return -1;
	pipe->reader = ends[0];
	pipe->writer = ends[1];
	pipe->data = player_resource(player, "pipe", NULL, info.st_ino, true);
	pipe->room = player_resource(player, "pipe", NULL, info.st_ino, true);
	return 0;
}

int pipe_fill(struct logged_pipe *pipe)
{
	static const char item[PIPE_ITEM];

	/* A page is the least that the kernel gives; one item fills it. */
	if (fcntl(pipe->writer, F_SETPIPE_SZ, PIPE_ITEM) != PIPE_ITEM)
		return -1;
	return write(pipe->writer, item, PIPE_ITEM) == PIPE_ITEM ? 0 : -1;
}

/* An interrupted call is made again: it is the same wait. */
static bool again(const struct worker *worker, ssize_t moved)
{
	return moved < 0 && errno == EINTR && !worker_stopped(worker);
}

static OUTLINED ssize_t read_item(const struct worker *worker, int fd, void *item, size_t size)
{
	ssize_t moved;

	do
		moved = read(fd, item, size);
	while (again(worker, moved));
	return moved;
}

static OUTLINED ssize_t write_item(const struct worker *worker, int fd, const void *item, size_t size)
{
	ssize_t moved;

	do
		moved = write(fd, item, size);
	while (again(worker, moved));
	return moved;
}

bool pipe_take(struct worker *worker, const struct logged_pipe *pipe, size_t size)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, pipe->data, clock_ns());
	char item[PIPE_ITEM];
	ssize_t moved = read_item(worker, pipe->reader, item, size);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return moved == (ssize_t)size;
}

bool pipe_give(struct worker *worker, const struct logged_pipe *pipe, size_t size)
{
	static const char item[PIPE_ITEM];
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, pipe->room, clock_ns());
	ssize_t moved = write_item(worker, pipe->writer, item, size);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return moved == (ssize_t)size;
}

struct ledger_entry *work_begin(struct worker *worker, uint32_t resource)
{
	return ledger_begin(&worker->log, LEDGER_WORKING, resource, clock_ns());
}

void work_end(struct ledger_entry *work)
{
	ledger_end(work, clock_ns());
}
