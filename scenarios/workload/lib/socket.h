/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direction of a pair of connected local sockets, message by message, whose waits
 * are written down. A reader waits on its own end for data, which the other side
 * produces; a writer waits on its own end for room, which the reader produces.
 */
#ifndef SOCKET_H
#define SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct player;
struct worker;

#define SOCKET_ITEM 4096 /* the most that one message holds */

struct logged_socket {
	int reader, writer;
	uint32_t data, room; /* resources */
};

/* For arrange(): makes a pair of sockets; back, if there is one, is the way back. */
int socket_make(struct player *player, struct logged_socket *there, struct logged_socket *back);

/* For arrange(): leaves room for one message of SOCKET_ITEM bytes, and puts it there. */
int socket_fill(struct logged_socket *socket);

/* Receives one message. Returns false if the run is over. */
bool socket_take(struct worker *worker, const struct logged_socket *socket);

/* Sends one message of a size. Returns false if the run is over. */
bool socket_give(struct worker *worker, const struct logged_socket *socket, size_t size);

#endif
