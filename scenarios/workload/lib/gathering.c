/* SPDX-License-Identifier: Apache-2.0 */
#include "gathering.h"

#include "clock.h"
#include "player.h"

/* When in a round who asks, in parts of a hundred of what the first keeps the lock for. */
enum {
	AT_FIRST = 3, /* the others have it when the first asks: they may share it */
	AT_SECOND = 8,
	AT_OTHERS = 12,
	PERIOD = 140,
};

static uint64_t part_ns(const struct worker *worker, unsigned int parts)
{
	return worker->player->options.hold_ns * parts / 100;
}

/* Sleeps until a part of a round. Returns false if the run is over. */
static bool await_part(struct worker *worker, uint64_t round, unsigned int parts)
{
	sleep_until(worker, worker->start_ns + round * part_ns(worker, PERIOD) + part_ns(worker, parts));
	return !worker_stopped(worker);
}

static void be_first(struct worker *worker)
{
	const struct gathering *part = worker->part;
	uint64_t hold = worker->player->options.hold_ns;

	for (uint64_t round = 0; await_part(worker, round, AT_FIRST); round++) {
		if (worker_faulty(worker)) {
			part->keep(worker, hold);
		} else {
			part->keep_briefly(worker, hold / 100);
			part->elsewhere(worker, hold - hold / 100);
		}
		worker_done(worker);
	}
}

static void be_second(struct worker *worker)
{
	const struct gathering *part = worker->part;

	for (uint64_t round = 0; await_part(worker, round, AT_SECOND); round++) {
		part->follow(worker, worker->player->options.hold_ns / 100);
		worker_done(worker);
	}
}

static void be_one_of_many(struct worker *worker)
{
	const struct gathering *part = worker->part;

	for (uint64_t round = 0; await_part(worker, round, 0); round++) {
		part->visit(worker, worker->player->options.hold_ns / 20);
		if (!await_part(worker, round, AT_OTHERS))
			return;
		part->visit(worker, worker->player->options.hold_ns / 100);
		worker_done(worker);
	}
}

void gathering_add(struct player *player, const struct gathering *gathering)
{
	static struct gathering part;

	part = *gathering;
	player_culprit(player, be_first, &part);
	player_decoy(player, be_second, &part, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, be_one_of_many, &part);
}
