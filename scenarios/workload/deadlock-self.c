/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread takes a mutex of the default kind that it holds already: a function that
 * holds it calls, on a path seldom taken, another that takes it, too. The thread waits
 * for itself, and others come by and wait with it.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

#define SAVE_PERIOD (60 * MILLISECOND)
#define READ_PERIOD (50 * MILLISECOND)
#define COUNT_PERIOD (8 * MILLISECOND)

static struct logged_mutex settings = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_mutex counters = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void notify_change(struct worker *worker)
{
	struct ledger_entry *held = mutex_enter(worker, &settings);

	compute_blocks(worker, 50);
	mutex_leave(&settings, held);
}

static OUTLINED void save_settings(struct worker *worker, uint64_t ns)
{
	uint64_t turning_point = worker->start_ns + worker->player->options.duration_ns / 4;
	struct ledger_entry *held = mutex_enter(worker, &settings);

	compute_ns(worker, ns);
	if (clock_ns() >= turning_point)
		notify_change(worker);
	mutex_leave(&settings, held);
}

/* The same, but for the order of the last two steps. */
static OUTLINED void store_settings(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &settings);

	compute_ns(worker, ns);
	mutex_leave(&settings, held);
	notify_change(worker);
}

static OUTLINED void read_setting(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &settings);

	compute_ns(worker, ns);
	mutex_leave(&settings, held);
}

static OUTLINED void count_event(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &counters);

	compute_ns(worker, ns);
	mutex_leave(&counters, held);
}

static int arrange(struct player *player)
{
	uint64_t brief = player->options.hold_ns / 10;

	settings.resource = player_resource(player, "mutex", &settings.mutex, 0, false);
	counters.resource = player_resource(player, "mutex", &counters.mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = SAVE_PERIOD, .span_ns = brief / 4, .act = save_settings, .twin = store_settings,
	});
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = READ_PERIOD, .phase_ns = i * MILLISECOND, .span_ns = brief / 10,
			.act = read_setting,
		});
	for (int i = 0; i < 3; i++) {
		struct turns turns = {
			.period_ns = COUNT_PERIOD, .phase_ns = i * 50 * MICROSECOND, .span_ns = brief,
			.act = count_event,
		};

		if (i == 1)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
	return decoys_add(player);
}

/* A mutex of the default kind may be unlocked by any thread. */
static void wake(void)
{
	pthread_mutex_unlock(&settings.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
