// SPDX-License-Identifier: Apache-2.0
/*
 * Naps, of a millisecond mostly, in ways that are hard on a stack walk: `callers MODE` plays
 *   siblings  from two functions in turn, with the same stack pointer
 *   bursts    twenty times from one of them and then from the other, shortly and for one futex
 *   cousins   from one function that two others call in turn, through a frame of
 *             variable size
 *   deep      under a hundred frames
 *   signal    in a handler, over code that it interrupts
 * A nap is a wait for a futex that nobody wakes. It prints the addresses of those that
 * the functions with an a and with a b in their names wait for: "a=N b=N".
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* No clone, no inlining; the empty statement behind a call keeps it from being a jump. */
#define OUTLINED __attribute__((noinline, noclone))
#define STAY __asm__ volatile("")

static volatile int never;

static uint32_t futexes[2];
static int bursts;
static volatile unsigned int naps;

static OUTLINED void nap(int which)
{
	struct timespec t = { .tv_nsec = bursts ? 50000 : 1000000 };

	syscall(SYS_futex, &futexes[bursts ? 0 : which], FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
	STAY;
}

static OUTLINED void sibling_a(void)
{
	nap(0);
	STAY;
}

static OUTLINED void sibling_b(void)
{
	nap(1);
	STAY;
}

static OUTLINED void vary(size_t size, int which)
{
	memset(alloca(size), 1, size);
	nap(which);
	STAY;
}

static OUTLINED void cousin_a(void)
{
	vary(48, 0);
	STAY;
}

static OUTLINED void cousin_b(void)
{
	vary(48, 1);
	STAY;
}

static OUTLINED int descend(int left)
{
	int sum;

	if (!left) {
		nap(0);
		return never;
	}
	sum = descend(left - 1);
	STAY;
	return sum + left;
}

static OUTLINED void handle(int signal)
{
	(void)signal;
	nap(0);
	STAY;
}

static OUTLINED void interrupted(void)
{
	raise(SIGUSR1);
	STAY;
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, handle);
	if (argc != 2)
		return 2;
	printf("a=%lu b=%lu\n", (unsigned long)&futexes[0], (unsigned long)&futexes[1]);
	fflush(stdout);
	bursts = !strcmp(argv[1], "bursts");
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		if (bursts) {
			/* Not counted in a register, by which they could be told apart. */
			if (naps++ % 40 < 20)
				sibling_a();
			else
				sibling_b();
		} else if (!strcmp(argv[1], "siblings")) {
			sibling_a();
			sibling_b();
		} else if (!strcmp(argv[1], "cousins")) {
			cousin_a();
			cousin_b();
		} else if (!strcmp(argv[1], "deep")) {
			descend(100);
		} else {
			interrupted();
		}
	}
}
