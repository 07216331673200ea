/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wake up by the clock, each by another call: a timer file, poll(2) and
 * sigtimedwait(2) that nothing comes to, a condition variable that nobody signals.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define PERIOD (7 * MILLISECOND)

static void wait_on_timer_file(void)
{
	struct itimerspec in = { .it_value = { .tv_nsec = PERIOD } };
	static _Thread_local int fd = -1;
	uint64_t times;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	timerfd_settime(fd, 0, &in, NULL);
	if (read(fd, &times, sizeof(times)) < 0)
		return; /* interrupted: the run is over */
}

static void wait_in_poll(void)
{
	poll(NULL, 0, PERIOD / MILLISECOND);
}

static void wait_for_signal(void)
{
	struct timespec in = { .tv_nsec = PERIOD };
	sigset_t none;

	sigemptyset(&none);
	sigtimedwait(&none, NULL, &in);
}

static void wait_on_condition(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	uint64_t at = clock_ns() + PERIOD;
	struct timespec until = { .tv_sec = (time_t)(at / SECOND), .tv_nsec = (long)(at % SECOND) };

	pthread_mutex_lock(&mutex);
	pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &until);
	pthread_mutex_unlock(&mutex);
}

static void tick(struct worker *worker)
{
	static void (*const ways[])(void) = {
		wait_on_timer_file, wait_in_poll, wait_for_signal, wait_on_condition,
	};
	void (*wait)(void) = ways[worker->index % (sizeof(ways) / sizeof(*ways))];

	while (!worker_stopped(worker)) {
		wait();
		compute_blocks(worker, 100);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, tick, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
