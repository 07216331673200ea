/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a mutex that inherits priority: the kernel keeps the
 * queue and hands the mutex over.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "mutex.h"
#include "mutex_make.h"
#include "player.h"

static struct logged_mutex mixer;

static OUTLINED void resample_channel(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &mixer);

	sleep_ns(worker, ns);
	mutex_leave(&mixer, held);
}

static OUTLINED void mix_frame(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &mixer);

	compute_ns(worker, ns);
	mutex_leave(&mixer, held);
}

static int arrange(struct player *player)
{
	if (mutex_make(player, &mixer, &(struct mutex_nature){ .protocol = PTHREAD_PRIO_INHERIT }) != 0)
		return -1;
	convoy_add(player, &(struct convoy){
		.keep = resample_channel, .elsewhere = sleep_ns, .visit = mix_frame, .in_turn = true,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
