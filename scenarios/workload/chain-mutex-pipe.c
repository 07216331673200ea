/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads queue up for the mutex of a cache, whose holder reads what it is to put
 * there from a pipe, of which the writer computes for long. In the twin the writer
 * has it ready and computes afterwards.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "pipe.h"
#include "player.h"
#include "turns.h"

static struct logged_mutex cache = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_pipe tiles;

static OUTLINED void render_tile(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, tiles.data);

	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &tiles, PIPE_ITEM);
}

static OUTLINED void send_tile(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, tiles.data);

	compute_blocks(worker, 20);
	work_end(work);
	pipe_give(worker, &tiles, PIPE_ITEM);
	compute_ns(worker, ns); /* as much as in the fault, while nobody waits */
}

static OUTLINED void load_tile(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &cache);

	compute_ns(worker, ns);
	if (pipe_take(worker, &tiles, PIPE_ITEM)) {
		struct ledger_entry *work = work_begin(worker, tiles.room);

		compute_ns(worker, ns / 10);
		work_end(work);
	}
	mutex_leave(&cache, held);
}

static OUTLINED void look_up(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &cache);

	compute_ns(worker, ns);
	mutex_leave(&cache, held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	/* The writer computes for less of the time than the busy decoy does. */
	uint64_t period = hold * 7 / 2;

	if (pipe_make(player, &tiles) != 0)
		return -1;
	cache.resource = player_resource(player, "mutex", &cache.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = render_tile, .twin = send_tile,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 50, .span_ns = hold / 25, .act = load_tile,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold * 3 / 100 + i * hold / 400, .span_ns = hold / 50,
			.act = look_up,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
