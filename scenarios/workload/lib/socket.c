/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "player.h"

static int add_direction(struct player *player, struct logged_socket *socket, int writer, int reader)
{
	struct stat from, to;

	if (fstat(writer, &from) != 0 || fstat(reader, &to) != 0)
		return -1;
	socket->writer = writer;
	socket->reader = reader;
	socket->data = player_resource(player, "socket", NULL, to.st_ino, true);
	socket->room = player_resource(player, "socket", NULL, from.st_ino, true);
	return 0;
}

int socket_make(struct player *player, struct logged_socket *there, struct logged_socket *back)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
	    add_direction(player, there, ends[0], ends[1]) != 0)
		return -1;
	return back ? add_direction(player, back, ends[1], ends[0]) : 0;
}

int socket_fill(struct logged_socket *socket)
{
	static const char item[SOCKET_ITEM];
	/* The kernel doubles it. A message takes more than its bytes, so a second one waits. */
	int size = (SOCKET_ITEM + 512) / 2;

	if (setsockopt(socket->writer, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) != 0)
		return -1;
	return send(socket->writer, item, SOCKET_ITEM, MSG_DONTWAIT) == SOCKET_ITEM ? 0 : -1;
}

/* An interrupted call is made again: it is the same wait. */
static bool again(const struct worker *worker, ssize_t moved)
{
	return moved < 0 && errno == EINTR && !worker_stopped(worker);
}

static OUTLINED ssize_t receive_message(const struct worker *worker, int fd, void *item, size_t size)
{
	ssize_t moved;

	do
		moved = recv(fd, item, size, 0);
	while (again(worker, moved));
	return moved;
}

static OUTLINED ssize_t send_message(const struct worker *worker, int fd, const void *item, size_t size)
{
	ssize_t moved;

	do
		moved = send(fd, item, size, MSG_NOSIGNAL);
	while (again(worker, moved));
	return moved;
}

bool socket_take(struct worker *worker, const struct logged_socket *socket)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, socket->data, clock_ns());
	char item[SOCKET_ITEM];
	ssize_t moved = receive_message(worker, socket->reader, item, sizeof(item));

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return moved > 0;
}

bool socket_give(struct worker *worker, const struct logged_socket *socket, size_t size)
{
	static const char item[SOCKET_ITEM];
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, socket->room, clock_ns());
	ssize_t moved = send_message(worker, socket->writer, item, size);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	return moved == (ssize_t)size;
}
