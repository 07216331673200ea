/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Priority inversion: three real-time threads on one CPU. The most urgent waits for a
 * mutex that the least urgent holds, which is not let run by the one in between. The
 * mutex lends its holder no priority. In the twin the one in between computes while
 * nobody holds the mutex.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "onecpu.h"
#include "player.h"
#include "turns.h"

enum { LOW = 5, MIDDLE = 15, HIGH = 25 };

static struct logged_mutex bus = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static bool settled[PLAYER_MAX_ROLES];

/* Joins the CPU in the first turn. */
static void settle(const struct worker *worker, int realtime)
{
	if (!settled[worker->index])
		onecpu_join(realtime);
	settled[worker->index] = true;
}

static OUTLINED void compress_image(struct worker *worker, uint64_t ns)
{
	settle(worker, MIDDLE);
	onecpu_occupy(worker, ns);
}

static OUTLINED void compress_later(struct worker *worker, uint64_t ns)
{
	settle(worker, MIDDLE);
	sleep_ns(worker, ns * 5 / 4);
	onecpu_occupy(worker, ns);
}

static OUTLINED void read_weather(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held;

	settle(worker, LOW);
	held = mutex_enter(worker, &bus);
	onecpu_compute(worker, ns);
	mutex_leave(&bus, held);
}

static OUTLINED void steer(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held;

	settle(worker, HIGH);
	held = mutex_enter(worker, &bus);
	onecpu_compute(worker, ns);
	mutex_leave(&bus, held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	/* The one in between computes for less of the time than the busy decoy does. */
	uint64_t period = hold * 7 / 2;

	if (onecpu_set_apart(player) != 0)
		return -1;
	bus.resource = player_resource(player, "mutex", &bus.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 40, .span_ns = hold, .act = compress_image,
		.twin = compress_later,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .span_ns = hold / 20, .act = read_weather,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold / 20 + i * hold / 100, .span_ns = hold / 100,
			.act = steer,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
