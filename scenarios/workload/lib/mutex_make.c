/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mutex_make.h"

#include <errno.h>

#include "mutex.h"
#include "player.h"

int mutex_make(struct player *player, struct logged_mutex *mutex, const struct mutex_nature *nature)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, nature->type);
	pthread_mutexattr_setprotocol(&attributes, nature->protocol);
	pthread_mutexattr_setrobust(&attributes, nature->robust);
	errno = pthread_mutex_init(&mutex->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	mutex->resource = player_resource(player, "mutex", &mutex->mutex, 0, false);
	return errno ? -1 : 0;
}
