/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: what each thread of a workload knows of itself, in memory that is
 * mapped from the file named by --ledger before the first thread starts. Times are
 * CLOCK_MONOTONIC, the clock of bpf_ktime_get_ns(). All fields are little-endian;
 * harness/ledger reads the file. Layout: header, resources, threads, then the
 * entries of thread 0, of thread 1, …, each `capacity` long.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdint.h>

#define LEDGER_MAGIC "RCALEDG1"
#define LEDGER_MAX_RESOURCES 256

enum ledger_kind {
	LEDGER_WAITING = 1, /* for the resource */
	LEDGER_HOLDING = 2, /* the resource, so that others cannot have it */
	LEDGER_WORKING = 3, /* on what others wait for from the resource */
};

/* Who answers for a wait. */
enum ledger_rule {
	LEDGER_ANY_LEAVES = 0, /* all who hold the resource, alike: any of them may let a waiter in */
	LEDGER_PRODUCED = 1,   /* who makes what is waited for, and not a holder */
	LEDGER_ALL_LEAVE = 2,  /* of all who hold the resource the last to leave it */
};

enum ledger_flag {
	LEDGER_CULPRIT = 1,
	LEDGER_WOULD_BE_CULPRIT = 2, /* in a twin: what the same seed makes the culprit of the fault */
};

struct ledger_header {
	char magic[8];
	uint32_t threads;
	uint32_t resources;
	uint64_t capacity; /* entries a thread */
	uint64_t go_ns;    /* the window of the run */
	uint64_t stop_ns;  /* 0: the run was cut short */
};

struct ledger_resource {
	char kind[24];    /* a contention.Kind */
	uint64_t address; /* of the word or object, 0 if none */
	uint64_t inode;   /* 0 if none */
	uint32_t pid;     /* whose address it is, 0 if shared */
	uint32_t rule;    /* enum ledger_rule */
};

struct ledger_thread {
	uint32_t pid;
	uint32_t tid;
	uint64_t start_ticks; /* field 22 of /proc/self/task/TID/stat, in clock ticks */
	uint32_t flags;       /* enum ledger_flag */
	uint32_t pad;
	char decoy[24];      /* the decoy's label, empty for none */
	uint64_t entries;    /* used */
	uint64_t dropped;    /* did not fit: the ledger is not to be trusted */
	uint64_t operations;   /* units of work done; overhead is measured by it */
	uint64_t acquisitions; /* locks taken, reads and writes done */
	uint64_t switches;     /* voluntary and not, of the window (getrusage) */
	uint64_t run_delay_begin_ns, run_delay_end_ns; /* field 2 of schedstat */
};

struct ledger_entry {
	uint64_t begin_ns;
	uint64_t end_ns; /* 0: had not ended */
	uint32_t kind;   /* enum ledger_kind */
	uint32_t resource;
};

/* A ledger in memory. Only the pointers are private to a process. */
struct ledger {
	struct ledger_header *header;
	struct ledger_resource *resources;
	struct ledger_thread *threads;
	struct ledger_entry *entries;
};

/* One thread's place in a ledger; no other thread writes there. */
struct ledger_writer {
	struct ledger_thread *account;
	struct ledger_entry *entries;
	uint64_t capacity;
	struct ledger_entry spill; /* takes what does not fit */
};

/*
 * Makes the file at path a ledger with room for the given threads, and maps it. The
 * header is complete but for the instants. Returns 0, or -1 with errno set.
 */
int ledger_map(struct ledger *ledger, const char *path, uint32_t threads,
	       const struct ledger_resource *resources, uint32_t count, uint64_t capacity);

/*
 * Gives the calling thread its place. All of it is touched, so that writing causes no
 * page fault later.
 */
void ledger_open(struct ledger_writer *writer, const struct ledger *ledger, uint32_t thread);

/* Writes down that an interval began at the given instant. Never returns NULL. */
struct ledger_entry *ledger_begin(struct ledger_writer *writer, enum ledger_kind kind,
				  uint32_t resource, uint64_t begin_ns);

/* Writes down that the interval has ended. */
void ledger_end(struct ledger_entry *entry, uint64_t end_ns);

#endif
