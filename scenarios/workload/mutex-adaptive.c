/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds an adaptive mutex: those who want it try for a
 * while on the CPU before they sleep.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "mutex_make.h"
#include "player.h"

static struct logged_mutex cache;

static OUTLINED void evict_pages(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &cache);

	sleep_ns(worker, ns);
	mutex_leave(&cache, held);
}

static OUTLINED void look_up_page(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &cache);

	compute_ns(worker, ns);
	mutex_leave(&cache, held);
}

static int arrange(struct player *player)
{
	if (mutex_make(player, &cache, &(struct mutex_nature){ .type = PTHREAD_MUTEX_ADAPTIVE_NP }) != 0)
		return -1;
	convoy_add(player, &(struct convoy){ .keep = evict_pages, .elsewhere = sleep_ns, .visit = look_up_page });
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
