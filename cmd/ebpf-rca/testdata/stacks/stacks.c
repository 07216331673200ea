/* SPDX-License-Identifier: Apache-2.0 */
/* Turns by the primitives of the C library. */
#include <semaphore.h>
#include <stdbool.h>

#include "play.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

#define CALLS "calls_c.h"
#define ENTER_TO_READ pthread_rwlock_rdlock
#define LEAVE_FROM_READING pthread_rwlock_unlock
#define ENTER_TO_WRITE pthread_rwlock_wrlock
#define LEAVE_FROM_WRITING pthread_rwlock_unlock
/* Built as a library, it is played by what loads it. */
#ifndef PLAY
#define PLAY main
#endif
#include "sites.h"
