/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hundred mutexes, all of which twelve threads take by chance, each for a moment. In
 * one of them a thread sleeps, and others pass that one on to each other.
 */
#include "clients.h"
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

#define SHARDS 100
#define HOT 37 /* the one that is slept in */
#define WANDERERS 12
#define STEP (3 * MILLISECOND)

static struct logged_mutex shards[SHARDS] = {
	[0 ... SHARDS - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

static OUTLINED void rehash_shard(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &shards[HOT]);

	sleep_ns(worker, ns);
	mutex_leave(&shards[HOT], held);
}

static OUTLINED void put_key(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &shards[HOT]);

	compute_ns(worker, ns);
	mutex_leave(&shards[HOT], held);
}

static OUTLINED void get_key(struct worker *worker, struct logged_mutex *shard)
{
	struct ledger_entry *held = mutex_enter(worker, shard);

	compute_blocks(worker, 10);
	mutex_leave(shard, held);
}

/* Two of them meet often, for they go through the shards by two orders only. */
static void wander(struct worker *worker)
{
	unsigned int stride = worker->index % 2 ? 7 : 11;

	for (uint64_t step = 0;; step++) {
		unsigned int shard = (unsigned int)(step * stride % SHARDS);

		sleep_until(worker, worker->start_ns + step * STEP);
		if (worker_stopped(worker))
			return;
		if (shard == HOT)
			shard = (HOT + 1) % SHARDS;
		get_key(worker, &shards[shard]);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 3 / 100;

	for (int i = 0; i < SHARDS; i++)
		shards[i].resource = player_resource(player, "mutex", &shards[i].mutex, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3,
		.delay_ns = 2 * brief,
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = put_key,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = rehash_shard, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	if (clients_add(player, (struct clients){
		    .period_ns = crowd.period_ns, .phase_ns = brief, .late_ns = brief / 2,
		    .errand_ns = brief / 4, .errand = put_key,
	    }) != 0)
		return -1;
	for (int i = 0; i < WANDERERS; i++)
		player_role(player, wander, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
