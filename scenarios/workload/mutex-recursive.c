/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a recursive mutex, which it has taken once more on
 * the way, as everybody does: only the last unlock lets it go.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "mutex_make.h"
#include "player.h"

static struct logged_mutex tree;
static uint64_t visits;

/* Never waits: whoever calls it has the mutex. */
static OUTLINED void touch_root(void)
{
	pthread_mutex_lock(&tree.mutex);
	visits++;
	pthread_mutex_unlock(&tree.mutex);
}

static OUTLINED void rebalance_tree(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &tree);

	touch_root();
	sleep_ns(worker, ns);
	touch_root();
	mutex_leave(&tree, held);
}

static OUTLINED void insert_node(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &tree);

	touch_root();
	compute_ns(worker, ns);
	mutex_leave(&tree, held);
}

static int arrange(struct player *player)
{
	if (mutex_make(player, &tree, &(struct mutex_nature){ .type = PTHREAD_MUTEX_RECURSIVE }) != 0)
		return -1;
	convoy_add(player, &(struct convoy){ .keep = rebalance_tree, .elsewhere = sleep_ns, .visit = insert_node });
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
