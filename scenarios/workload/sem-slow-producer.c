/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consumers wait on a semaphore for a relay, which waits on another for a producer that
 * computes for long.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "relay.h"
#include "sem.h"

static struct logged_sem tiles, strips;

static OUTLINED void render_tile(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, tiles.resource);

	compute_ns(worker, ns);
	work_end(work);
	sem_give(worker, &tiles, 1);
}

static OUTLINED void cut_strips(struct worker *worker, uint64_t ns, uint64_t items)
{
	struct ledger_entry *work = work_begin(worker, strips.resource);

	compute_ns(worker, ns);
	work_end(work);
	sem_give(worker, &strips, items);
}

static bool await_tile(struct worker *worker)
{
	return sem_take(worker, &tiles);
}

static bool await_strip(struct worker *worker)
{
	return sem_take(worker, &strips);
}

static int arrange(struct player *player)
{
	if (sem_make_stock(player, &tiles) != 0 || sem_make_stock(player, &strips) != 0)
		return -1;
	relay_add(player, &(struct relay){
		.produce = render_tile, .await_raw = await_tile, .share_out = cut_strips, .await_item = await_strip,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
