/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers in two processes wait, each at a pipe of its own, for one thread that serves
 * them all. It needs a mutex that the processes share, in which a thread of either of
 * them sleeps.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"
#include "shared.h"
#include "turns.h"

#define MAX_READERS 16

static struct logged_pipe feeds[MAX_READERS];

static OUTLINED void reindex_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, shared_mutex(0));

	sleep_ns(worker, ns);
	mutex_leave(shared_mutex(0), held);
}

/* The same with the sleep outside the mutex. */
static OUTLINED void scan_segment(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, shared_mutex(0));

	compute_ns(worker, ns / 100);
	mutex_leave(shared_mutex(0), held);
	sleep_ns(worker, ns - ns / 100);
}

/* It works for all its readers from the beginning, until each has been given an item. */
static OUTLINED void serve_feeds(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *works[MAX_READERS];
	uint64_t readers = worker->player->options.contenders;
	struct ledger_entry *held;

	for (uint64_t i = 0; i < readers; i++)
		works[i] = work_begin(worker, feeds[i].data);
	compute_ns(worker, ns);
	held = mutex_enter(worker, shared_mutex(0));
	compute_ns(worker, ns / 10);
	mutex_leave(shared_mutex(0), held);
	for (uint64_t i = 0; i < readers; i++) {
		work_end(works[i]);
		if (!pipe_give(worker, &feeds[i], PIPE_ITEM))
			return;
	}
}

static OUTLINED void read_feed(struct worker *worker, uint64_t ns)
{
	const struct logged_pipe *feed = turns_what(worker);
	struct ledger_entry *work;

	if (!pipe_take(worker, feed, PIPE_ITEM))
		return;
	work = work_begin(worker, feed->room);
	compute_ns(worker, ns);
	work_end(work);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t period = hold * 3 / 2;

	if (player->options.contenders > MAX_READERS || shared_make(player, 1) != 0)
		return -1;
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = reindex_segment, .twin = scan_segment,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 50, .span_ns = hold / 20, .act = serve_feeds,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++) {
		if (pipe_make(player, &feeds[i]) != 0)
			return -1;
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold * 3 / 100 + i * hold / 400, .span_ns = hold / 100,
			.act = read_feed, .what = &feeds[i],
		});
	}
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.arrange = arrange, .settle = shared_settle, .processes = 2,
	});
}
