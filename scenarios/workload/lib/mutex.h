/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pthread mutex whose waits and holds are written down. The C library has no frame
 * pointers, which hides the caller of its lock and unlock from a walk along them:
 * that caller is here, and the functions above it are seen.
 */
#ifndef MUTEX_H
#define MUTEX_H

#include <pthread.h>
#include <stdint.h>

struct ledger_entry;
struct worker;

struct logged_mutex {
	pthread_mutex_t mutex;
	uint32_t resource;
};

/* Takes the mutex. The result goes to mutex_leave. */
struct ledger_entry *mutex_enter(struct worker *worker, struct logged_mutex *mutex);

void mutex_leave(struct logged_mutex *mutex, struct ledger_entry *held);

#endif
