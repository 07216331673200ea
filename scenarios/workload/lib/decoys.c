/* SPDX-License-Identifier: Apache-2.0 */
#include "decoys.h"

#include "clock.h"
#include "compute.h"
#include "pipe.h"
#include "player.h"

/* Two threads that wake each other in short bursts and rest in between. */
#define BURST 12
#define BURST_PERIOD (60 * MILLISECOND)
#define BURST_PHASE MILLISECOND /* when the busy one rests, too */

/* One that computes most of all, the culprit included. */
#define BUSY (760 * MICROSECOND)
#define BUSY_PERIOD (2 * MILLISECOND)

/* One that sleeps longest. */
#define REST (600 * MILLISECOND)

struct exchange {
	const struct logged_pipe *out, *in;
	bool first;
};

static OUTLINED void make_reply(struct worker *worker, uint32_t resource)
{
	struct ledger_entry *work = work_begin(worker, resource);

	compute_blocks(worker, 4);
	work_end(work);
}

static bool exchange_once(struct worker *worker, const struct exchange *part)
{
	if (!part->first && !pipe_take(worker, part->in, 1))
		return false;
	make_reply(worker, part->out->data);
	if (!pipe_give(worker, part->out, 1))
		return false;
	return !part->first || pipe_take(worker, part->in, 1);
}

static void exchange(struct worker *worker)
{
	for (uint64_t burst = 0; !worker_stopped(worker); burst++) {
		sleep_until(worker, worker->start_ns + BURST_PHASE + burst * BURST_PERIOD);
		for (int i = 0; i < BURST; i++)
			if (!exchange_once(worker, worker->part))
				return;
		worker_done(worker);
	}
}

static void refresh_cache(struct worker *worker)
{
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * BUSY_PERIOD);
		compute_ns(worker, BUSY);
		worker_done(worker);
	}
}

static void rotate_logs(struct worker *worker)
{
	while (!worker_stopped(worker)) {
		sleep_ns(worker, REST);
		compute_blocks(worker, 100);
		worker_done(worker);
	}
}

int decoys_add(struct player *player)
{
	static struct logged_pipe there, back;
	static struct exchange one, other;

	if (pipe_make(player, &there) != 0 || pipe_make(player, &back) != 0)
		return -1;
	one = (struct exchange){ .out = &there, .in = &back, .first = true };
	other = (struct exchange){ .out = &back, .in = &there };
	player_decoy(player, exchange, &one, "most-wakeups");
	player_decoy(player, exchange, &other, "most-wakeups");
	player_decoy(player, refresh_cache, NULL, "most-cpu");
	player_decoy(player, rotate_logs, NULL, "longest-sleep");
	return 0;
}
