/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipe whose waits are written down. It is two resources: a reader waits for data,
 * which the writer produces, and a writer for room, which the reader produces.
 */
#ifndef PIPE_H
#define PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger_entry;
struct player;
struct worker;

#define PIPE_ITEM 4096 /* the most that one read or write moves */

struct logged_pipe {
	int reader, writer;
	uint32_t data, room; /* resources */
};

/* For arrange(): makes a pipe and adds its resources. */
int pipe_make(struct player *player, struct logged_pipe *pipe);

/* For arrange(): shrinks a pipe to one item and fills it. */
int pipe_fill(struct logged_pipe *pipe);

/* Reads one item of a size. Returns false if the run is over. */
bool pipe_take(struct worker *worker, const struct logged_pipe *pipe, size_t size);

/* Writes one item of a size. Returns false if the run is over. */
bool pipe_give(struct worker *worker, const struct logged_pipe *pipe, size_t size);

/* Write down that the worker produces what others wait for from the resource. */
struct ledger_entry *work_begin(struct worker *worker, uint32_t resource);
void work_end(struct ledger_entry *work);

#endif
