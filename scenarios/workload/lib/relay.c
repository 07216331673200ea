/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include "clock.h"
#include "compute.h"
#include "player.h"

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 7 / 2;
}

/* While nobody waits. */
static void compute_before(struct worker *worker, uint64_t ns, uint64_t deadline_ns)
{
	uint64_t now = clock_ns();

	if (now + ns < deadline_ns)
		compute_ns(worker, ns);
	else if (now < deadline_ns)
		compute_ns(worker, deadline_ns - now);
}

static void be_producer(struct worker *worker)
{
	const struct relay *part = worker->part;
	uint64_t hold = worker->player->options.hold_ns;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker)) {
			part->produce(worker, hold);
		} else {
			sleep_ns(worker, hold);
			part->produce(worker, hold / 500);
			compute_before(worker, hold, round_begin(worker, round + 1));
		}
		worker_done(worker);
	}
}

/* The others come when the producer has just begun. */

static void be_relay(struct worker *worker)
{
	const struct relay *part = worker->part;
	const struct options *options = &worker->player->options;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + options->hold_ns / 40);
		if (worker_stopped(worker) || !part->await_raw(worker))
			return;
		part->share_out(worker, options->hold_ns / 50, options->contenders);
		worker_done(worker);
	}
}

static void be_consumer(struct worker *worker)
{
	const struct relay *part = worker->part;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + worker->player->options.hold_ns / 30);
		if (worker_stopped(worker) || !part->await_item(worker))
			return;
		compute_blocks(worker, 100);
		worker_done(worker);
	}
}

void relay_add(struct player *player, const struct relay *relay)
{
	static struct relay part;

	part = *relay;
	player_culprit(player, be_producer, &part);
	player_decoy(player, be_relay, &part, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, be_consumer, &part);
}
