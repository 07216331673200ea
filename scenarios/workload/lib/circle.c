/* SPDX-License-Identifier: Apache-2.0 */
#include "circle.h"

#include "clock.h"
#include "compute.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

/* Every thread of the circle has its turn, all at once; in between they rest. */
#define PERIOD (90 * MILLISECOND)

#define VISIT_PERIOD (60 * MILLISECOND)
#define VISIT (50 * MICROSECOND)

/* The company's mutex is held for a like time by all, who ask at about the same time. */
#define COMPANY 3
#define COMPANY_PERIOD (8 * MILLISECOND)
#define COMPANY_HOLD MILLISECOND

static const struct circle *played;
static unsigned int places[CIRCLE_MAX];
static struct logged_mutex counters = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static uint64_t turning_point(const struct worker *worker)
{
	return worker->start_ns + worker->player->options.duration_ns / 4;
}

static void go_round(struct worker *worker)
{
	unsigned int place = *(const unsigned int *)worker->part;
	struct logged_mutex *own = played->lock(place);
	struct logged_mutex *next = played->lock((place + 1) % played->size);

	for (uint64_t turn = 1;; turn++) {
		uint64_t begin = worker->start_ns + turn * PERIOD;
		bool last = place + 1 == played->size; /* whose next is the first of all */

		sleep_until(worker, begin);
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker) && begin >= turning_point(worker))
			played->take_both(worker, own, next, worker->player->options.hold_ns);
		else
			played->take_both(worker, last ? next : own, last ? own : next, 0);
		worker_done(worker);
	}
}

static void come_by(struct worker *worker, uint64_t ns)
{
	const unsigned int *place = turns_what(worker);

	played->visit(worker, played->lock(*place), ns);
}

static OUTLINED void count_event(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &counters);

	compute_ns(worker, ns);
	mutex_leave(&counters, held);
}

static void add_company(struct player *player)
{
	counters.resource = player_resource(player, "mutex", &counters.mutex, 0, false);
	for (int i = 0; i < COMPANY; i++) {
		struct turns turns = {
			.period_ns = COMPANY_PERIOD, .phase_ns = i * 50 * MICROSECOND, .span_ns = COMPANY_HOLD,
			.act = count_event,
		};

		if (i == 1)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
}

void circle_add(struct player *player, const struct circle *circle)
{
	played = circle;
	for (unsigned int i = 0; i < circle->size; i++) {
		places[i] = i;
		player_culprit(player, go_round, &places[i]);
	}
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = VISIT_PERIOD, .phase_ns = 3 * MILLISECOND + i * MILLISECOND, .span_ns = VISIT,
			.act = come_by, .what = &places[i % circle->size],
		});
	add_company(player);
}

void circle_break(void)
{
	for (unsigned int i = 0; i < played->size; i++)
		pthread_mutex_unlock(&played->lock(i)->mutex);
}
