/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A producer, a relay and consumers, in rounds that all of them keep by the clock. The
 * consumers wait for the relay, which waits for the producer and makes their items of
 * what it gets. In the fault the producer computes while all wait for it; in the twin
 * it sleeps until it has something to pass on and computes as much afterwards.
 */
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stdint.h>

struct player;
struct worker;

struct relay {
	/* Computes for a span, with work for the relay begun and ended, and passes it on. */
	void (*produce)(struct worker *worker, uint64_t ns);
	/* Waits for that. Returns false if the run is over. */
	bool (*await_raw)(struct worker *worker);
	/* Works on items for the consumers for a span, and passes them on. */
	void (*share_out)(struct worker *worker, uint64_t ns, uint64_t items);
	/* Waits for one of them. Returns false if the run is over. */
	bool (*await_item)(struct worker *worker);
};

/* For arrange(): adds the threads. */
void relay_add(struct player *player, const struct relay *relay);

#endif
