/* SPDX-License-Identifier: Apache-2.0 */
/* A semaphore whose waits are written down. */
#ifndef SEM_H
#define SEM_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

struct logged_sem {
	sem_t sem;
	uint32_t resource;
};

/*
 * For arrange(): make a semaphore and add it as a resource: one whose permits are held
 * and given back, or one that counts what has been produced. Return 0, or -1 with
 * errno set.
 */
int sem_make_permits(struct player *player, struct logged_sem *sem, unsigned int permits);
int sem_make_stock(struct player *player, struct logged_sem *sem);

/* Takes a permit. The result goes to sem_leave. */
struct ledger_entry *sem_enter(struct worker *worker, struct logged_sem *sem);
void sem_leave(struct logged_sem *sem, struct ledger_entry *held);

/* Takes one of what has been produced. Returns false if the run is over. */
bool sem_take(struct worker *worker, struct logged_sem *sem);

/* Adds to what has been produced. */
void sem_give(struct worker *worker, struct logged_sem *sem, uint64_t items);

#endif
