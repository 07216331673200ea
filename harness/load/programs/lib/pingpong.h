/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads on one CPU that hand a turn to each other: nearly nothing but switches. */
#ifndef PINGPONG_H
#define PINGPONG_H

#include "load.h"

/* A way to hand the turn to thread 0 or 1, and to wait for one's own. */
struct way {
	void (*open)(void);
	void (*give)(int to);
	void (*take)(int me);
};

extern const struct way by_futex, by_pipe;

/* Does the load's work: a unit is a turn that goes there and back. watched is who to
 * watch. The p99 is that of a turn there and back. */
void pingpong(struct load *load, const struct way *way, pid_t watched);

#endif
