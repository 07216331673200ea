/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that holds a mutex is to compute a little, on a CPU that a real-time thread
 * takes meanwhile and keeps for long. In the twin that one does so while nobody holds
 * the mutex.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "onecpu.h"
#include "player.h"
#include "turns.h"

static struct logged_mutex orders = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static bool settled[PLAYER_MAX_ROLES];

/* Joins the CPU in the first turn. */
static void settle(const struct worker *worker, int realtime)
{
	if (!settled[worker->index])
		onecpu_join(realtime);
	settled[worker->index] = true;
}

static OUTLINED void poll_sensors(struct worker *worker, uint64_t ns)
{
	settle(worker, 10);
	onecpu_occupy(worker, ns);
}

static OUTLINED void poll_later(struct worker *worker, uint64_t ns)
{
	settle(worker, 10);
	sleep_ns(worker, ns * 5 / 4);
	onecpu_occupy(worker, ns);
}

static OUTLINED void match_orders(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held;

	settle(worker, 0);
	held = mutex_enter(worker, &orders);
	onecpu_compute(worker, ns);
	mutex_leave(&orders, held);
}

static OUTLINED void place_order(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &orders);

	compute_ns(worker, ns);
	mutex_leave(&orders, held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	/* The real-time thread computes for less of the time than the busy decoy does. */
	uint64_t period = hold * 7 / 2;

	if (onecpu_set_apart(player) != 0)
		return -1;
	orders.resource = player_resource(player, "mutex", &orders.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 40, .span_ns = hold, .act = poll_sensors, .twin = poll_later,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .span_ns = hold / 20, .act = match_orders,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold / 80 + i * hold / 400, .span_ns = hold / 40,
			.act = place_order,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
