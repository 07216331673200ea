// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		load_fail("read the clock");
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end) {
		fprintf(stderr, "%s is no number\n", text);
		exit(2);
	}
	return n;
}

void load_init(struct load *load, int argc, char **argv)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		load_fail("ask to die with the parent");
	if (argc != 3) {
		fprintf(stderr, "usage: %s WARM WORK\n", argv[0]);
		exit(2);
	}
	load->warm = number(argv[1]);
	load->work = number(argv[2]);
}

void load_ready(pid_t watched)
{
	int c;

	printf("ready %d\n", (int)watched);
	fflush(stdout);
	while ((c = getchar()) != '\n') {
		if (c == EOF)
			exit(0); /* who started it has thought better of it */
	}
}

void load_begin(struct load *load)
{
	puts("begin");
	fflush(stdout);
	load->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	load->wall_ns = monotonic_ns();
}

void load_end(struct load *load)
{
	load->wall_ns = monotonic_ns() - load->wall_ns;
	load->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID) - load->cpu_ns;
}

void load_tell(const struct load *load, int64_t p99_ns)
{
	printf("end cpu_ns=%" PRId64 " wall_ns=%" PRId64 " p99_ns=%" PRId64 "\n", load->cpu_ns, load->wall_ns, p99_ns);
	fflush(stdout);
}

void load_pin(void)
{
	cpu_set_t allowed, one;
	int cpu = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		load_fail("read the CPUs allowed");
	while (cpu > 0 && !CPU_ISSET(cpu, &allowed))
		cpu--;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		load_fail("keep to one CPU");
}

void load_fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}
