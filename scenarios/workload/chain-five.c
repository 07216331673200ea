/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five threads in a row, each of which holds a mutex and waits for that of the next,
 * and the last one sleeps. Those in front begin to wait first, so each thread of the
 * row lets go somebody who has waited for longer than it has itself.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

#define LINKS 5

/* The first is the one that everybody wants, the last the one that is slept in. */
static struct logged_mutex layers[LINKS] = {
	[0 ... LINKS - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};
static unsigned int places[LINKS];

static OUTLINED void sync_backing(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &layers[LINKS - 1]);

	sleep_ns(worker, ns);
	mutex_leave(&layers[LINKS - 1], held);
}

/* The same with the sleep outside the mutex. */
static OUTLINED void check_backing(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &layers[LINKS - 1]);

	compute_ns(worker, ns / 100);
	mutex_leave(&layers[LINKS - 1], held);
	sleep_ns(worker, ns - ns / 100);
}

/* Holds its layer for a while before it asks for the next; those behind for longer. */
static OUTLINED void flush_layer(struct worker *worker, uint64_t ns)
{
	unsigned int place = *(const unsigned int *)turns_what(worker);
	struct ledger_entry *upper = mutex_enter(worker, &layers[place]);
	struct ledger_entry *lower;

	compute_ns(worker, ns / 10);
	sleep_ns(worker, ns * (place + 1));
	lower = mutex_enter(worker, &layers[place + 1]);
	compute_ns(worker, ns / 10);
	mutex_leave(&layers[place + 1], lower);
	mutex_leave(&layers[place], upper);
}

static OUTLINED void touch_page(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &layers[0]);

	compute_ns(worker, ns);
	mutex_leave(&layers[0], held);
}

static void add_links(struct player *player, uint64_t period, uint64_t hold)
{
	for (unsigned int place = 0; place + 1 < LINKS; place++) {
		struct turns turns = {
			.period_ns = period, .phase_ns = hold / 50, .span_ns = hold / 100, .act = flush_layer,
			.what = &places[place],
		};

		places[place] = place;
		if (place == 0)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t period = hold * 5 / 4 + (player->options.contenders + 2) * hold / 50;

	for (int i = 0; i < LINKS; i++)
		layers[i].resource = player_resource(player, "mutex", &layers[i].mutex, 0, false);
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = sync_backing, .twin = check_backing,
	});
	add_links(player, period, hold);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold / 40 + i * hold / 400, .span_ns = hold / 50,
			.act = touch_page,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
