/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes other than the plain one. */
#ifndef MUTEX_MAKE_H
#define MUTEX_MAKE_H

struct logged_mutex;
struct player;

/* What pthread_mutexattr_ calls set; zeros make a plain mutex. */
struct mutex_nature {
	int type;
	int protocol;
	int robust;
};

/* For arrange(): makes a mutex and adds it as a resource. Returns 0, or -1 with errno set. */
int mutex_make(struct player *player, struct logged_mutex *mutex, const struct mutex_nature *nature);

#endif
