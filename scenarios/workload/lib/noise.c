/* SPDX-License-Identifier: Apache-2.0 */
#include "noise.h"

#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"

#define MAX_GROUPS 16
/* A group is two threads at a pipe, two at a mutex, and one by itself. */
#define GROUP 5

struct group {
	struct logged_pipe pipe;
	struct logged_mutex own, common;
	uint64_t period_ns; /* of each group another, so that they drift past each other */
};

static struct group groups[MAX_GROUPS];

static OUTLINED void touch(struct worker *worker, struct logged_mutex *mutex, unsigned int blocks)
{
	struct ledger_entry *held = mutex_enter(worker, mutex);

	compute_blocks(worker, blocks);
	mutex_leave(mutex, held);
}

/* Returns false if the run is over. */
static bool await_turn(struct worker *worker, uint64_t turn, uint64_t phase_ns)
{
	const struct group *group = worker->part;

	sleep_until(worker, worker->start_ns + turn * group->period_ns + phase_ns);
	return !worker_stopped(worker);
}

static void send(struct worker *worker)
{
	const struct group *group = worker->part;

	for (uint64_t turn = 0; await_turn(worker, turn, 0); turn++) {
		struct ledger_entry *work = work_begin(worker, group->pipe.data);

		compute_blocks(worker, 30);
		work_end(work);
		if (!pipe_give(worker, &group->pipe, 64))
			return;
		worker_done(worker);
	}
}

/* Sleeps in the pipe until the sender's timer has let that one go. */
static void receive(struct worker *worker)
{
	const struct group *group = worker->part;

	while (pipe_take(worker, &group->pipe, 64)) {
		struct ledger_entry *work = work_begin(worker, group->pipe.room);

		compute_blocks(worker, 20);
		work_end(work);
		worker_done(worker);
	}
}

static void share(struct worker *worker)
{
	struct group *group = (struct group *)worker->part;

	for (uint64_t turn = 0; await_turn(worker, turn, worker->index % 2 * 50 * MICROSECOND); turn++) {
		touch(worker, &group->common, 40);
		worker_done(worker);
	}
}

static void work_alone(struct worker *worker)
{
	struct group *group = (struct group *)worker->part;

	for (uint64_t turn = 0; await_turn(worker, turn, 0); turn++) {
		for (int i = 0; i < 10; i++)
			touch(worker, &group->own, 5);
		worker_done(worker);
	}
}

static int make_group(struct player *player, struct group *group, unsigned int number)
{
	group->period_ns = (7 + 2 * number) * MILLISECOND;
	pthread_mutex_init(&group->own.mutex, NULL);
	pthread_mutex_init(&group->common.mutex, NULL);
	group->own.resource = player_resource(player, "mutex", &group->own.mutex, 0, false);
	group->common.resource = player_resource(player, "mutex", &group->common.mutex, 0, false);
	return pipe_make(player, &group->pipe);
}

int noise_add(struct player *player, unsigned int threads)
{
	static void (*const parts[GROUP])(struct worker *) = { work_alone, send, receive, share, share };

	for (unsigned int i = 0; i < threads && i < MAX_GROUPS * GROUP; i++) {
		struct group *group = &groups[i / GROUP];

		if (i % GROUP == 0 && make_group(player, group, i / GROUP) != 0)
			return -1;
		player_role(player, parts[i % GROUP], group);
	}
	return 0;
}
