/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory whose pages a thread of the workload fills in when they are touched
 * (userfaultfd(2)), as late as is asked for: it stands for a disk or another machine
 * that memory comes from. A system call that is handed such a page stops in its middle,
 * where it copies, with whatever locks the kernel holds there. So a stall begins when
 * the page is found missing, which is when the lock has been taken, and lasts as long
 * as was asked for: both are known.
 */
#ifndef PAGED_H
#define PAGED_H

#include <stddef.h>
#include <stdint.h>

struct player;
struct worker;

#define PAGED_SIZE 4096 /* bytes that each thread has of it */

/* For arrange(): makes a page for each thread. Returns 0, or -1 with errno set. */
int paged_make(void);

/* For arrange(): adds the thread that fills in the pages. */
void paged_add_pager(struct player *player);

/*
 * Makes a system call with the calling thread's page, which is filled in a span after
 * the call has touched it. Writes down that the thread waits for the resource until
 * then and holds it from then on.
 */
void paged_call(struct worker *worker, uint32_t resource, uint64_t ns,
		long (*call)(struct worker *worker, void *page));

/* Touches the calling thread's page, which is filled in a span later. No lock is held. */
void paged_touch(struct worker *worker, uint64_t ns);

#endif
