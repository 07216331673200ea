/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of a table wait for its writer, which needs a permit that only one thread
 * may have at a time, and whoever has it sleeps. The writer lets all readers go.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

static pthread_rwlock_t routes = PTHREAD_RWLOCK_INITIALIZER;
static sem_t permit;
static uint32_t routes_resource, permit_resource;

/* Waits for something and holds it from then on; both are written down. */
static struct ledger_entry *come_by(struct worker *worker, uint32_t resource, void (*get)(void))
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, resource, clock_ns());
	uint64_t now;

	get();
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, resource, now);
}

static OUTLINED void get_permit(void)
{
	while (sem_wait(&permit) != 0 && errno == EINTR)
		;
}

static OUTLINED void write_lock(void)
{
	pthread_rwlock_wrlock(&routes);
}

static OUTLINED void read_lock(void)
{
	pthread_rwlock_rdlock(&routes);
}

static OUTLINED void return_permit(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	sem_post(&permit);
}

static OUTLINED void unlock(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	pthread_rwlock_unlock(&routes);
}

static OUTLINED void export_metrics(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = come_by(worker, permit_resource, get_permit);

	sleep_ns(worker, ns);
	return_permit(held);
}

/* The same with the sleep outside the permit. */
static OUTLINED void gather_metrics(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = come_by(worker, permit_resource, get_permit);

	compute_ns(worker, ns / 100);
	return_permit(held);
	sleep_ns(worker, ns - ns / 100);
}

/* Comes first, so that all who have the permit have to wait for it, too. */
static OUTLINED void sample_counter(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = come_by(worker, permit_resource, get_permit);

	compute_ns(worker, ns);
	return_permit(held);
}

static OUTLINED void replace_route(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *written = come_by(worker, routes_resource, write_lock);
	struct ledger_entry *held;

	compute_ns(worker, ns);
	held = come_by(worker, permit_resource, get_permit);
	compute_ns(worker, ns / 10);
	return_permit(held);
	unlock(written);
}

static OUTLINED void find_route(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = come_by(worker, routes_resource, read_lock);

	compute_ns(worker, ns);
	unlock(held);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	uint64_t period = hold * 3 / 2;

	if (sem_init(&permit, 0, 1) != 0)
		return -1;
	routes_resource = player_resource(player, "rwlock", &routes, 0, false);
	permit_resource = player_resource(player, "semaphore", &permit, 0, false);
	turns_add(player, (struct turns){
		.period_ns = period, .span_ns = hold / 50, .act = sample_counter,
	});
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 100, .span_ns = hold, .act = export_metrics, .twin = gather_metrics,
	});
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = hold / 25, .span_ns = hold / 25, .act = replace_route,
	}, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = period, .phase_ns = hold / 20 + i * hold / 400, .span_ns = hold / 50,
			.act = find_route,
		});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
