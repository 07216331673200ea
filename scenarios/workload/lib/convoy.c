/* SPDX-License-Identifier: Apache-2.0 */
#include "convoy.h"

#include "clock.h"
#include "crowd.h"
#include "player.h"

struct sweep {
	const struct crowd *crowd;
	uint64_t late_ns; /* after the keeper */
	uint64_t visits;
	uint64_t brief_ns;
};

static void be_sweeper(struct worker *worker)
{
	const struct sweep *part = worker->part;
	const struct crowd *crowd = part->crowd;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, worker->start_ns + round * crowd->period_ns + crowd->act_ns[0] + part->late_ns);
		if (worker_stopped(worker))
			return;
		for (uint64_t i = 0; i < part->visits; i++)
			crowd->visit(worker, part->brief_ns);
		worker_done(worker);
	}
}

static void add_sweeper(struct player *player, const struct crowd *crowd)
{
	static struct sweep sweep;

	sweep = (struct sweep){
		.crowd = crowd,
		.late_ns = crowd->delay_ns / 2,
		.visits = player->options.contenders,
		/* Longer than it takes one who was woken to see that the lock is taken. */
		.brief_ns = crowd->brief_ns / 2,
	};
	player_decoy(player, be_sweeper, &sweep, "last-waker");
}

void convoy_add(struct player *player, const struct convoy *convoy)
{
	static struct crowd crowd;
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = convoy->in_turn ? hold * 8 / 100 : hold / 100;

	crowd = (struct crowd){
		/* Long enough for all to have had it, and to be on time for the next. */
		.period_ns = hold * (convoy->in_turn ? 11 : 14) / 10 + (player->options.contenders + 2) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = convoy->in_turn ? brief : 4 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = convoy->visit,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = convoy->keep, .elsewhere = convoy->elsewhere,
	};
	crowd_add_keeper(player, &keeper);
	if (!convoy->in_turn)
		add_sweeper(player, &crowd);
	crowd_add_others(player, &crowd);
}
