/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that serve connections by one epoll, and a client that is no part of the
 * program: a process of its own that nobody waits for and that asks when its timer
 * says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define CONNECTIONS 4
#define THINK (3 * MILLISECOND)
#define SERVE_BLOCKS 200

static int ready; /* the epoll */
static uint32_t requests; /* resource */

static OUTLINED int await_request(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, requests, clock_ns());
	struct epoll_event event;
	int count = epoll_wait(ready, &event, 1, -1);

	ledger_end(wait, clock_ns());
	return count == 1 ? event.data.fd : -1;
}

static OUTLINED void serve_request(struct worker *worker, int fd)
{
	char text[64];

	if (recv(fd, text, sizeof(text), MSG_DONTWAIT) <= 0)
		return; /* another thread was first */
	compute_blocks(worker, SERVE_BLOCKS);
	send(fd, text, sizeof(text), MSG_NOSIGNAL);
	worker->log.account->acquisitions++;
	worker_done(worker);
}

static void serve(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		int fd = await_request(worker);

		if (fd >= 0)
			serve_request(worker, fd);
	}
}

/* The client asks over one connection after the other, until the server is gone. */
static _Noreturn void be_client(const int *connections)
{
	struct timespec think = { .tv_nsec = THINK };
	char text[64] = { 0 };

	for (unsigned int i = 0;; i = (i + 1) % CONNECTIONS) {
		nanosleep(&think, NULL);
		if (send(connections[i], text, sizeof(text), MSG_NOSIGNAL) <= 0 ||
		    recv(connections[i], text, sizeof(text), 0) <= 0)
			_exit(0);
	}
}

/* By way of a child that ends at once, so that the client is nobody's descendant. */
static int start_client(const int *servers, const int *clients)
{
	pid_t child = fork();

	if (child < 0)
		return -1;
	if (child == 0) {
		if (fork() != 0)
			_exit(0);
		for (int i = 0; i < CONNECTIONS; i++)
			close(servers[i]);
		close(ready);
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		be_client(clients);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	for (int i = 0; i < CONNECTIONS; i++)
		close(clients[i]);
	return 0;
}

static int arrange(struct player *player)
{
	int servers[CONNECTIONS], clients[CONNECTIONS];

	ready = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < CONNECTIONS; i++) {
		struct epoll_event event = { .events = EPOLLIN };
		int ends[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
			return -1;
		servers[i] = event.data.fd = ends[0];
		clients[i] = ends[1];
		if (epoll_ctl(ready, EPOLL_CTL_ADD, ends[0], &event) != 0)
			return -1;
	}
	requests = player_resource(player, "poll", NULL, 0, true);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, serve, NULL);
	return start_client(servers, clients);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
