/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps while it holds a mutex that others pass on to each other, amid
 * thirty threads that take mutexes, use pipes and sleep by timers of their own.
 */
#include "clients.h"
#include "clock.h"
#include "compute.h"
#include "crowd.h"
#include "decoys.h"
#include "mutex.h"
#include "noise.h"
#include "player.h"

#define NOISE 30

static struct logged_mutex sessions = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static OUTLINED void expire_sessions(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &sessions);

	sleep_ns(worker, ns);
	mutex_leave(&sessions, held);
}

static OUTLINED void renew_session(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &sessions);

	compute_ns(worker, ns);
	mutex_leave(&sessions, held);
}

static int arrange(struct player *player)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	sessions.resource = player_resource(player, "mutex", &sessions.mutex, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3,
		.delay_ns = 2 * brief,
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = renew_session,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = expire_sessions, .elsewhere = sleep_ns,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	if (clients_add(player, (struct clients){
		    .period_ns = crowd.period_ns, .phase_ns = brief, .late_ns = brief / 2,
		    .errand_ns = brief / 4, .errand = renew_session,
	    }) != 0)
		return -1;
	return noise_add(player, NOISE) == 0 ? decoys_add(player) : -1;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
