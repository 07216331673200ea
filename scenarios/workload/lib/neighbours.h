/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other processes of the machine: of the same program, but no part of the workload and
 * no children of it. Threads of theirs sleep for long in a mutex that has the address
 * of one of the workload's, in memory of their own. They end with the workload.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <pthread.h>

/* For arrange(): starts a number of processes. Returns 0, or -1 with errno set. */
int neighbours_start(unsigned int processes, pthread_mutex_t *mutex);

#endif
