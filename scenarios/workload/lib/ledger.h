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
#define LEDGER_MAX_RESOURCES 16

enum ledger_kind {
	LEDGER_WAITING = 1, /* for the resource */
	LEDGER_HOLDING = 2, /* the resource, so that others cannot have it */
	LEDGER_WORKING = 3, /* on what others wait for from the resource */
};

enum ledger_flag {
	LEDGER_CULPRIT = 1,
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
	uint32_t one_way; /* 1: waiters wait for what a producer makes, not for a holder */
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

#endif
