/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include "clock.h"
#include "player.h"

struct member {
	const struct crowd *crowd;
	unsigned int place; /* in the queue, from 0 */
};

static uint64_t brief(const struct crowd *crowd, unsigned int place)
{
	uint64_t ns = crowd->brief_ns + place * crowd->brief_step_ns;

	return crowd->brief_max_ns && ns > crowd->brief_max_ns ? crowd->brief_max_ns : ns;
}

static void visit_at(struct worker *worker, uint64_t instant_ns)
{
	const struct member *member = worker->part;

	sleep_until(worker, instant_ns);
	if (worker_stopped(worker))
		return;
	member->crowd->visit(worker, brief(member->crowd, member->place));
	worker_done(worker);
}

/* The first asks once before the keeper and goes to the end of the queue behind it. */
static void attend(struct worker *worker, uint64_t act_ns)
{
	const struct member *member = worker->part;
	const struct crowd *crowd = member->crowd;
	uint64_t place = member->place;

	if (place == 0) {
		visit_at(worker, act_ns - crowd->lead_ns);
		place = worker->player->options.contenders;
	}
	visit_at(worker, act_ns + crowd->delay_ns + place * crowd->spacing_ns);
}

static void be_member(struct worker *worker)
{
	const struct member *member = worker->part;
	const struct crowd *crowd = member->crowd;

	for (uint64_t round = 0; !worker_stopped(worker); round++) {
		uint64_t begin = worker->start_ns + round * crowd->period_ns;

		for (unsigned int act = 0; act < crowd->acts; act++)
			attend(worker, begin + crowd->act_ns[act]);
		if (crowd->meet_ns)
			visit_at(worker, begin + crowd->meet_ns);
	}
}

static void be_keeper(struct worker *worker)
{
	const struct crowd_keeper *part = worker->part;
	const struct crowd *crowd = part->crowd;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, worker->start_ns + round * crowd->period_ns + crowd->act_ns[part->act]);
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker)) {
			part->keep(worker, part->hold_ns);
		} else {
			crowd->visit(worker, crowd->brief_ns);
			part->elsewhere(worker, part->hold_ns - crowd->brief_ns);
		}
		worker_done(worker);
	}
}

void crowd_add_keeper(struct player *player, const struct crowd_keeper *keeper)
{
	player_culprit(player, be_keeper, keeper);
}

void crowd_add_others(struct player *player, const struct crowd *crowd)
{
	static struct member members[PLAYER_MAX_ROLES];

	/* More than there is room for is refused where roles are added. */
	for (unsigned int i = 0; i < player->options.contenders; i++) {
		struct member *member = &members[i % PLAYER_MAX_ROLES];

		*member = (struct member){ .crowd = crowd, .place = i };
		/* The last but one of the queue ends the longest wait in it. */
		if (i > 0 && i + 1 == player->options.contenders)
			player_decoy(player, be_member, member, "last-waker");
		else
			player_role(player, be_member, member);
	}
}
