/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stock of what has been produced, under a mutex, with a condition variable on which
 * threads wait for it. While one waits it does not hold the mutex.
 */
#ifndef COND_H
#define COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "mutex.h"

struct player;
struct worker;

struct cond_stock {
	struct logged_mutex mutex;
	pthread_cond_t more;
	uint32_t coming; /* resource: that there is more */
	uint64_t items;
};

#define COND_STOCK_INITIALIZER \
	{ .mutex = { .mutex = PTHREAD_MUTEX_INITIALIZER }, .more = PTHREAD_COND_INITIALIZER }

/* For arrange(): adds the resources of a stock. */
void cond_stock_add(struct player *player, struct cond_stock *stock);

/* Takes an item. Returns false if the run is over. */
bool cond_take(struct worker *worker, struct cond_stock *stock);

/* Adds items and wakes whoever waits. */
void cond_give(struct worker *worker, struct cond_stock *stock, uint64_t items);

/* For wake(): lets all who wait see that the run is over. */
void cond_wake(struct cond_stock *stock);

#endif
