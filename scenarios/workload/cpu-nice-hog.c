/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that holds a mutex is to compute a little, on a CPU that it shares with one
 * that is the contrary of nice, which gets nearly all of it. In the twin that one computes
 * while nobody holds the mutex.
 */
#include <sys/resource.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "onecpu.h"
#include "player.h"
#include "turns.h"

/*
 * Nine times the weight of the others. With much more the group of the whole program
 * would lose its share of the other CPUs to other programs, where there are groups.
 */
#define HASTE (-10)

static struct logged_mutex samples = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static bool settled[PLAYER_MAX_ROLES];

/* Joins the CPU in the first turn. */
static void settle(const struct worker *worker, int nice)
{
	if (settled[worker->index])
		return;
	onecpu_join(0);
	/* Of Linux: 0 is the calling thread, not its process. */
	settled[worker->index] = setpriority(PRIO_PROCESS, 0, nice) == 0;
}

static OUTLINED void encode_frames(struct worker *worker, uint64_t ns)
{
	settle(worker, HASTE);
	onecpu_occupy(worker, ns);
}

static OUTLINED void encode_later(struct worker *worker, uint64_t ns)
{
	settle(worker, HASTE);
	sleep_ns(worker, ns * 5 / 4);
	onecpu_occupy(worker, ns);
}

static OUTLINED void fold_samples(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held;

	settle(worker, 0);
	held = mutex_enter(worker, &samples);
	onecpu_compute(worker, ns);
	mutex_leave(&samples, held);
}

static OUTLINED void append_sample(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &samples);

	compute_ns(worker, ns);
	mutex_leave(&samples, held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	/* The real-time thread computes for less of the time than the busy decoy does. */
	uint64_t period = hold * 7 / 2;

	if (onecpu_set_apart(player) != 0)
		return -1;
	samples.resource = player_resource(player, "mutex", &samples.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 40, .span_ns = hold, .act = encode_frames, .twin = encode_later,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .span_ns = hold / 8, .act = fold_samples,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold / 80 + i * hold / 400, .span_ns = hold / 40,
			.act = append_sample,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
