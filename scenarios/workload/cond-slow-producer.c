/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consumers wait on a condition variable for a relay, which waits on another for a
 * producer that computes for long.
 */
#include "clock.h"
#include "compute.h"
#include "cond.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "relay.h"

static struct cond_stock frames = COND_STOCK_INITIALIZER;
static struct cond_stock slices = COND_STOCK_INITIALIZER;

static OUTLINED void encode_frame(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, frames.coming);

	compute_ns(worker, ns);
	work_end(work);
	cond_give(worker, &frames, 1);
}

static OUTLINED void cut_slices(struct worker *worker, uint64_t ns, uint64_t items)
{
	struct ledger_entry *work = work_begin(worker, slices.coming);

	compute_ns(worker, ns);
	work_end(work);
	cond_give(worker, &slices, items);
}

static bool await_frame(struct worker *worker)
{
	return cond_take(worker, &frames);
}

static bool await_slice(struct worker *worker)
{
	return cond_take(worker, &slices);
}

static int arrange(struct player *player)
{
	cond_stock_add(player, &frames);
	cond_stock_add(player, &slices);
	relay_add(player, &(struct relay){
		.produce = encode_frame, .await_raw = await_frame, .share_out = cut_slices, .await_item = await_slice,
	});
	return decoys_add(player);
}

static void wake(void)
{
	cond_wake(&frames);
	cond_wake(&slices);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
