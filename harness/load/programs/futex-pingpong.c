// SPDX-License-Identifier: Apache-2.0
/* Two threads hand a turn to each other by a futex. */
#include <unistd.h>

#include "pingpong.h"

int main(int argc, char **argv)
{
	struct load load;

	load_init(&load, argc, argv);
	pingpong(&load, &by_futex, getpid());
	return 0;
}
