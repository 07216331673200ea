/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The player runs a workload: it reads the command line, creates the threads, keeps
 * the protocol on standard input and output and completes the ledger. A workload
 * says which roles there are; which thread plays which follows from the seed.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger.h"
#include "options.h"

#define PLAYER_MAX_ROLES 64

/*
 * A function that has a frame and a symbol of its own whatever the optimiser thinks,
 * so that it can be found on a stack by its name.
 */
#ifdef __clang__
#define OUTLINED __attribute__((noinline))
#else
#define OUTLINED __attribute__((noipa))
#endif

struct worker;

struct role {
	void (*run)(struct worker *worker);
	const void *part; /* of the role, handed to the worker */
	uint32_t flags;   /* enum ledger_flag */
	const char *decoy;
	bool joined; /* by another worker, and not at the end of the run */
};

/* What the processes of one workload share. */
struct gate {
	_Atomic uint32_t ready; /* threads that wait at the gate */
	_Atomic uint32_t open;
	_Atomic uint32_t stop;
	_Atomic uint64_t start_ns;
};

struct player {
	const char *name;
	struct options options;
	struct role roles[PLAYER_MAX_ROLES];
	unsigned int threads; /* one a role */
	struct ledger_resource resources[LEDGER_MAX_RESOURCES];
	uint32_t resource_count;
	bool crowded; /* more was added than there is room for */
	struct ledger ledger;
	struct gate *gate;
};

/* One thread. */
struct worker {
	struct player *player;
	unsigned int index; /* its name is w and this */
	const struct role *role;
	const void *part;
	struct ledger_writer log;
	uint64_t start_ns; /* the instant all rounds count from */
	uint64_t digest;   /* result of its computing */
};

struct workload {
	bool control;
	unsigned int processes; /* threads are spread over as many; 0: one */
	uint64_t entries_per_second; /* of the busiest thread; 0: PLAYER_ENTRIES */
	/* Adds resources and roles. Runs before anything is forked or created. */
	int (*arrange)(struct player *player);
	/* Runs in each process but the first, before it creates threads. May be NULL. */
	int (*settle)(struct player *player);
	/*
	 * Runs once in each process after `stop` is set. Threads that sleep in a system
	 * call are interrupted in any case; this wakes the others. May be NULL.
	 */
	void (*wake)(void);
};

#define PLAYER_ENTRIES 10000

/* Plays the workload; returns what main should. */
int player_main(int argc, char **argv, const struct workload *workload);

/* For arrange(): adds a resource and returns its place in the ledger. */
uint32_t player_resource(struct player *player, const char *kind, const void *address,
			 uint64_t inode, bool one_way);

/* For arrange(): all who hold the resource must leave it before a waiter gets in. */
void player_all_leave(struct player *player, uint32_t resource);

/* For arrange(): adds a role that is nothing special. */
void player_role(struct player *player, void (*run)(struct worker *), const void *part);

/* For arrange(): adds the role that is the culprit in the fault and would be in the twin. */
void player_culprit(struct player *player, void (*run)(struct worker *), const void *part);

/* For arrange(): adds an innocent that looks guilty. */
void player_decoy(struct player *player, void (*run)(struct worker *), const void *part,
		  const char *label);

/*
 * For arrange(): the role added last is joined by a worker, and ends by itself soon after
 * the run is over: it is not interrupted.
 */
void player_joined(struct player *player);

/* Whether the fault is to be played. */
static inline bool worker_faulty(const struct worker *worker)
{
	return worker->player->options.variant == VARIANT_FAULT;
}

/* Whether the run is over. */
static inline bool worker_stopped(const struct worker *worker)
{
	return atomic_load_explicit(&worker->player->gate->stop, memory_order_relaxed) != 0;
}

/* Counts a unit of work done. */
static inline void worker_done(struct worker *worker)
{
	worker->log.account->operations++;
}

#endif
