/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes in memory that the processes of a workload share, each at an address of its
 * own. The ledger names them as the kernel knows them: by file and place in it.
 */
#ifndef SHARED_H
#define SHARED_H

struct logged_mutex;
struct player;

#define SHARED_MUTEXES 8

/* For arrange(): makes the memory with a number of mutexes. Returns 0, or -1 with errno set. */
int shared_make(struct player *player, unsigned int mutexes);

/* For settle(): maps the memory in a process that was forked, elsewhere. */
int shared_settle(struct player *player);

/* The mutex of a number, where the calling process has it. */
struct logged_mutex *shared_mutex(unsigned int number);

#endif
