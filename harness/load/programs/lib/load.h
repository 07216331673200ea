/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load is work of a fixed size. Its arguments are how much to do before and how much
 * then counts. It says "ready PID", PID being the process to watch, waits for a line,
 * does the first part, says "begin", does the second, and says what that took:
 * "end cpu_ns=N wall_ns=N p99_ns=N". CPU time is that of all its threads, from the
 * system as well as from themselves.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdint.h>
#include <sys/types.h>

struct load {
	uint64_t warm, work;
	int64_t cpu_ns, wall_ns; /* when the part that counts began, then what it took */
};

/* Reads the arguments. The load dies with who started it. */
void load_init(struct load *load, int argc, char **argv);

/* Says which process to watch and returns when the work is to be done. */
void load_ready(pid_t watched);

/* Mark the beginning and the end of the work that counts. */
void load_begin(struct load *load);
void load_end(struct load *load);

/* Says what it took. p99_ns is 0 where nothing has an answer to wait for. */
void load_tell(const struct load *load, int64_t p99_ns);

/* Keeps the calling thread, and those it makes, on the last CPU that it may run on. */
void load_pin(void);

/* Ends the program with what went wrong, as errno has it. */
void load_fail(const char *what) __attribute__((noreturn));

int64_t monotonic_ns(void);

#endif
