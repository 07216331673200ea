/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All of one site, which SITE names; included once for each. CALLS is the header that
 * waits and lets go by the primitives of a language, ENTER_RWLOCK and LEAVE_RWLOCK
 * what takes the rwlock there and gives it back.
 */
#define JOIN_(name, site) name##_##site
#define JOIN(name, site) JOIN_(name, site)
#define AT(name) JOIN(name, SITE)
#define TEXT_(site) #site
#define TEXT(site) TEXT_(site)
#define QUOTED(name) "\"" name "_" TEXT(SITE) "\""
#define APART() STAY_APART(TEXT(SITE))

#include CALLS

/* A flag under a mutex says whether the resource is taken. */
OUTLINED void AT(take_flag)(void)
{
	AT(enter_gate)();
	while (taken)
		AT(wait_condvar)();
	taken = true;
	AT(leave_gate)();
	APART();
}

OUTLINED void AT(drop_flag)(void)
{
	AT(enter_gate)();
	taken = false;
	AT(leave_gate)();
	AT(release_condvar)();
	APART();
}

OUTLINED void AT(wait_semaphore)(void) { sem_wait(&permit); APART(); }
OUTLINED void AT(release_semaphore)(void) { sem_post(&permit); APART(); }

/* Who reads the one byte in the pipe has the resource. */
OUTLINED void AT(wait_pipe)(void)
{
	char token;

	if (read(token_pipe[0], &token, 1) != 1)
		abort();
	APART();
}

OUTLINED void AT(release_pipe)(void)
{
	if (write(token_pipe[1], "t", 1) != 1)
		abort();
	APART();
}

static const struct site AT(sites)[PRIMITIVES] = {
	{ AT(wait_mutex), AT(release_mutex), QUOTED("wait_mutex"), QUOTED("release_mutex") },
	/* To signal takes a lock within the condition variable, for which to wait. */
	{ AT(take_flag), AT(drop_flag),
	  QUOTED("enter_gate") "," QUOTED("wait_condvar") "," QUOTED("release_condvar"),
	  QUOTED("leave_gate") "," QUOTED("wait_condvar") "," QUOTED("release_condvar") },
	{ AT(wait_semaphore), AT(release_semaphore), QUOTED("wait_semaphore"), QUOTED("release_semaphore") },
	{ AT(wait_rwlock), AT(release_rwlock), QUOTED("wait_rwlock"), QUOTED("release_rwlock") },
	{ AT(wait_pipe), AT(release_pipe), QUOTED("wait_pipe"), QUOTED("release_pipe") },
};

#undef JOIN_
#undef JOIN
#undef AT
#undef TEXT_
#undef TEXT
#undef QUOTED
#undef APART
