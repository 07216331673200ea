/* SPDX-License-Identifier: Apache-2.0 */
#include "muster.h"

#include "clock.h"
#include "pipe.h"
#include "player.h"

/* When in a round who comes, in parts of a thousand of what the first keeps the lock for. */
enum {
	AT_SECOND = 20,
	AT_REST = 40,
	SPACING = 5,
	TO_CALL = 60, /* after the first of the rest, at least */
	BRIEF = 10,
	PERIOD = 1400,
};

static uint64_t part_ns(const struct worker *worker, uint64_t parts)
{
	return worker->player->options.hold_ns * parts / 1000;
}

/* Sleeps until a part of a round. Returns false if the run is over. */
static bool await_part(struct worker *worker, uint64_t round, uint64_t parts)
{
	sleep_until(worker, worker->start_ns + round * part_ns(worker, PERIOD) + part_ns(worker, parts));
	return !worker_stopped(worker);
}

/* The wait is for the call up to the call, and for the lock from there on. */
static struct ledger_entry *await_one(struct worker *worker, const struct muster *muster,
				      struct ledger_entry *held)
{
	uint64_t begin = clock_ns(), called, end;
	struct ledger_entry *wait;

	ledger_end(held, begin);
	wait = ledger_begin(&worker->log, LEDGER_WAITING, muster->coming, begin);
	muster->await_call();
	end = clock_ns();
	called = atomic_load(&muster->call->called_ns);
	if (begin < called && called < end) {
		ledger_end(wait, called);
		wait = ledger_begin(&worker->log, LEDGER_WAITING, muster->lock, called);
	}
	ledger_end(wait, end);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, muster->lock, end);
}

/* Takes the lock once the call of a round has come. */
static struct ledger_entry *come(struct worker *worker, const struct muster *muster, uint64_t round)
{
	struct ledger_entry *held = muster->enter(worker);

	while (muster->call->number <= round && !worker_stopped(worker))
		held = await_one(worker, muster, held);
	return held;
}

static void visit(struct worker *worker, const struct muster *muster, uint64_t ns)
{
	struct ledger_entry *held = muster->enter(worker);

	muster->act(worker, ns);
	muster->leave(held);
}

static void be_first(struct worker *worker)
{
	const struct muster *muster = worker->part;

	for (uint64_t round = 0; await_part(worker, round, 0); round++) {
		struct ledger_entry *held = come(worker, muster, round);

		if (worker_faulty(worker)) {
			muster->keep(worker, part_ns(worker, 1000));
			muster->leave(held);
		} else {
			muster->act(worker, part_ns(worker, BRIEF));
			muster->leave(held);
			muster->keep(worker, part_ns(worker, 1000 - BRIEF));
		}
		worker_done(worker);
	}
}

static void be_second(struct worker *worker)
{
	const struct muster *muster = worker->part;

	for (uint64_t round = 0; await_part(worker, round, AT_SECOND); round++) {
		muster->leave(come(worker, muster, round));
		for (uint64_t i = 0; i < worker->player->options.contenders; i++)
			visit(worker, muster, part_ns(worker, BRIEF / 2));
		worker_done(worker);
	}
}

struct place {
	const struct muster *muster;
	uint64_t number;
};

static void be_one_of_the_rest(struct worker *worker)
{
	const struct place *place = worker->part;

	for (uint64_t round = 0; await_part(worker, round, AT_REST + place->number * SPACING); round++) {
		struct ledger_entry *held = come(worker, place->muster, round);

		place->muster->act(worker, part_ns(worker, BRIEF));
		place->muster->leave(held);
		worker_done(worker);
	}
}

static void call(struct worker *worker, const struct muster *muster)
{
	for (int i = 0; muster->wake_one && i < 2; i++) {
		atomic_store(&muster->call->called_ns, clock_ns());
		muster->wake_one();
		sleep_ns(worker, part_ns(worker, BRIEF));
	}
	atomic_store(&muster->call->called_ns, clock_ns());
	muster->wake_all();
}

static void be_caller(struct worker *worker)
{
	const struct muster *muster = worker->part;
	uint64_t when = AT_REST + worker->player->options.contenders * SPACING + TO_CALL;

	for (uint64_t round = 0; await_part(worker, round, when); round++) {
		struct ledger_entry *work = work_begin(worker, muster->coming);
		struct ledger_entry *held = muster->enter(worker);

		muster->call->number = round + 1;
		muster->leave(held);
		call(worker, muster);
		work_end(work);
		worker_done(worker);
	}
}

void muster_add(struct player *player, const struct muster *muster)
{
	static struct place places[PLAYER_MAX_ROLES];
	static struct muster part;

	part = *muster;
	player_culprit(player, be_first, &part);
	player_decoy(player, be_second, &part, "last-waker");
	player_decoy(player, be_caller, &part, "last-waker");
	/* More than there is room for is refused where roles are added. */
	for (uint64_t i = 0; i < player->options.contenders; i++) {
		places[i % PLAYER_MAX_ROLES] = (struct place){ .muster = &part, .number = i };
		player_role(player, be_one_of_the_rest, &places[i % PLAYER_MAX_ROLES]);
	}
}
