/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include "clock.h"
#include "player.h"

const void *turns_what(const struct worker *worker)
{
	const struct turns *turns = worker->part;

	return turns->what;
}

static void take_turns(struct worker *worker)
{
	const struct turns *turns = worker->part;
	void (*act)(struct worker *, uint64_t) = turns->act;

	if (!worker_faulty(worker) && turns->twin)
		act = turns->twin;
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, worker->start_ns + round * turns->period_ns + turns->phase_ns);
		if (worker_stopped(worker))
			return;
		act(worker, turns->span_ns);
		worker_done(worker);
	}
}

static const struct turns *keep(struct turns turns)
{
	static struct turns kept[PLAYER_MAX_ROLES];
	static unsigned int count;
	/* More than there is room for is refused where roles are added. */
	struct turns *place = &kept[count++ % PLAYER_MAX_ROLES];

	*place = turns;
	return place;
}

void turns_add(struct player *player, struct turns turns)
{
	player_role(player, take_turns, keep(turns));
}

void turns_add_culprit(struct player *player, struct turns turns)
{
	player_culprit(player, take_turns, keep(turns));
}

void turns_add_decoy(struct player *player, struct turns turns, const char *label)
{
	player_decoy(player, take_turns, keep(turns), label);
}
