/* SPDX-License-Identifier: Apache-2.0 */
/* The processes and threads of a workload: how they come to be and how they end. */
#ifndef COMPANY_H
#define COMPANY_H

#include <pthread.h>
#include <sys/types.h>

#include "player.h"

#define COMPANY_MAX_PROCESSES 16

struct company {
	struct player *player;
	const struct workload *workload;
	unsigned int processes;
	unsigned int process; /* this one */
	pid_t children[COMPANY_MAX_PROCESSES];
	/*
	 * Only the first process holds the end written to. When it goes, of its own
	 * accord or not, the others see the end read from close.
	 */
	int tie[2];
	struct worker workers[PLAYER_MAX_ROLES];
	pthread_t threads[PLAYER_MAX_ROLES];
	bool running[PLAYER_MAX_ROLES]; /* created here and not joined yet */
};

/*
 * Forks the other processes, creates all threads and waits until they are at the
 * gate. Returns 0 in the first process, -1 after saying what went wrong. Does not
 * return in the others.
 */
int company_gather(struct company *company);

/* Lets all threads loose. */
void company_go(struct company *company);

/* Tells all threads to end and waits for them. Returns 0, or -1 after saying why. */
int company_end(struct company *company);

#endif
