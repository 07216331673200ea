/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three sites, after CALLS is defined, and all they take turns at. Readers wait
 * for the rwlock at site a, writers at the others.
 */
enum { PRIMITIVES = 5 };

static bool taken;
static sem_t permit;
static int token_pipe[2];

#define SITE a
#define ENTER_RWLOCK ENTER_TO_READ
#define LEAVE_RWLOCK LEAVE_FROM_READING
#include "site.h"
#undef SITE
#undef ENTER_RWLOCK
#undef LEAVE_RWLOCK

#define ENTER_RWLOCK ENTER_TO_WRITE
#define LEAVE_RWLOCK LEAVE_FROM_WRITING
#define SITE b
#include "site.h"
#undef SITE

#define SITE c
#include "site.h"
#undef SITE

OUTLINED int PLAY(int argc, char **argv)
{
	static const char *const names[PRIMITIVES] = { "mutex", "condvar", "semaphore", "rwlock", "pipe" };

	if (sem_init(&permit, 0, 1) || pipe(token_pipe) || write(token_pipe[1], "t", 1) != 1)
		return 1;
	for (int i = 0; argc > 1 && i < PRIMITIVES; i++)
		if (!strcmp(names[i], argv[1]))
			return play(&sites_a[i], &sites_b[i], &sites_c[i]);
	fprintf(stderr, "usage: %s mutex|condvar|semaphore|rwlock|pipe\n", argv[0]);
	return 2;
}
