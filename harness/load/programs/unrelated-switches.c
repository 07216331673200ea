// SPDX-License-Identifier: Apache-2.0
/*
 * Two threads of a process that nobody watches switch as fast as they can, while the one
 * that is watched sleeps: what it costs to have nothing to do with a switch.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "pingpong.h"

static pid_t start_idle(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		load_fail("make the process to be watched");
	if (pid)
		return pid;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		load_fail("ask to die with the parent");
	while (getppid() == parent)
		pause();
	_exit(0);
}

int main(int argc, char **argv)
{
	struct load load;
	pid_t idle;

	load_init(&load, argc, argv);
	idle = start_idle();
	pingpong(&load, &by_futex, idle);
	kill(idle, SIGKILL);
	return 0;
}
