/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All who wait on a condition variable are woken and want its mutex, which one of them
 * keeps while it sleeps.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "muster.h"
#include "mutex.h"
#include "player.h"

static struct logged_mutex config = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct muster_call call;

static struct ledger_entry *enter(struct worker *worker)
{
	return mutex_enter(worker, &config);
}

static void leave(struct ledger_entry *held)
{
	mutex_leave(&config, held);
}

static OUTLINED void await_change(void)
{
	pthread_cond_wait(&changed, &config.mutex);
}

static OUTLINED void announce_first(void)
{
	pthread_cond_signal(&changed);
}

static OUTLINED void announce(void)
{
	pthread_cond_broadcast(&changed);
}

static OUTLINED void reload_rules(struct worker *worker, uint64_t ns)
{
	sleep_ns(worker, ns);
}

static OUTLINED void copy_rule(struct worker *worker, uint64_t ns)
{
	compute_ns(worker, ns);
}

static int arrange(struct player *player)
{
	muster_add(player, &(struct muster){
		.call = &call,
		.coming = player_resource(player, "condvar", &changed, 0, true),
		.lock = config.resource = player_resource(player, "mutex", &config.mutex, 0, false),
		.enter = enter,
		.leave = leave,
		.await_call = await_change,
		.wake_one = announce_first,
		.wake_all = announce,
		.keep = reload_rules,
		.act = copy_rule,
	});
	return decoys_add(player);
}

/* A condition variable goes on waiting when a signal interrupts it. */
static void wake(void)
{
	pthread_mutex_lock(&config.mutex);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&config.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
