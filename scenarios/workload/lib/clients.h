/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that wait, each at a pipe of its own, for a server that has to run an errand
 * before it answers them all. In rounds that all of them keep by the clock. Whatever
 * holds the errand up, it is the server that ends all their waits.
 */
#ifndef CLIENTS_H
#define CLIENTS_H

#include <stdint.h>

struct player;
struct worker;

#define CLIENTS 5

struct clients {
	uint64_t period_ns;
	uint64_t phase_ns;   /* when in a round the server begins, */
	uint64_t late_ns;    /* and how much later the clients ask */
	uint64_t errand_ns;  /* handed to the errand */
	void (*errand)(struct worker *worker, uint64_t ns);
};

/* For arrange(): adds the server and its clients. Returns 0, or -1 with errno set. */
int clients_add(struct player *player, struct clients clients);

#endif
