/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread ends, at a quarter of the run, on a path that forgets to let a mutex go.
 * Others come by and wait for it, forever. In the twin it lets the mutex go first.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

#define LOAD_PERIOD (20 * MILLISECOND)
#define READ_PERIOD (50 * MILLISECOND)
#define COUNT_PERIOD (8 * MILLISECOND)

static struct logged_mutex config = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_mutex counters = { .mutex = PTHREAD_MUTEX_INITIALIZER };

/* Returns false where it is for the last time. */
static OUTLINED bool load_config(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &config);

	compute_ns(worker, ns);
	if (clock_ns() >= worker->start_ns + worker->player->options.duration_ns / 4) {
		if (!worker_faulty(worker))
			mutex_leave(&config, held);
		return false;
	}
	mutex_leave(&config, held);
	return true;
}

static void load(struct worker *worker)
{
	for (uint64_t turn = 1; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * LOAD_PERIOD);
		if (worker_stopped(worker) || !load_config(worker, worker->player->options.hold_ns / 40))
			return;
		worker_done(worker);
	}
}

static OUTLINED void read_config(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &config);

	compute_ns(worker, ns);
	mutex_leave(&config, held);
}

static OUTLINED void count_event(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &counters);

	compute_ns(worker, ns);
	mutex_leave(&counters, held);
}

static void add_company(struct player *player)
{
	for (int i = 0; i < 3; i++) {
		struct turns turns = {
			.period_ns = COUNT_PERIOD, .phase_ns = i * 50 * MICROSECOND, .span_ns = MILLISECOND / 2,
			.act = count_event,
		};

		if (i == 1)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
}

static int arrange(struct player *player)
{
	config.resource = player_resource(player, "mutex", &config.mutex, 0, false);
	counters.resource = player_resource(player, "mutex", &counters.mutex, 0, false);
	player_culprit(player, load, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = READ_PERIOD, .phase_ns = (1 + i) * MILLISECOND, .span_ns = 50 * MICROSECOND,
			.act = read_config,
		});
	add_company(player);
	return decoys_add(player);
}

/* A mutex of the default kind may be unlocked by any thread. */
static void wake(void)
{
	pthread_mutex_unlock(&config.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
