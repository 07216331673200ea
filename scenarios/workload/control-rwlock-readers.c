/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers that hold a rwlock side by side and for long, and a writer that wants it now
 * and then and waits for them a little.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define READ_PERIOD (6 * MILLISECOND)
#define READ (2 * MILLISECOND)
#define WRITE_PERIOD (150 * MILLISECOND)

static pthread_rwlock_t config = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static uint32_t resource;

static OUTLINED struct ledger_entry *enter(struct worker *worker, int (*lock)(pthread_rwlock_t *))
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, resource, clock_ns());
	uint64_t now;

	lock(&config);
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, resource, now);
}

static void leave(struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	pthread_rwlock_unlock(&config);
}

static OUTLINED void read_config(struct worker *worker)
{
	struct ledger_entry *held = enter(worker, pthread_rwlock_rdlock);

	compute_blocks(worker, 20);
	sleep_ns(worker, READ);
	leave(held);
}

static OUTLINED void write_config(struct worker *worker)
{
	struct ledger_entry *held = enter(worker, pthread_rwlock_wrlock);

	compute_blocks(worker, 20);
	leave(held);
}

static void read_often(struct worker *worker)
{
	uint64_t phase = worker->index * READ_PERIOD / worker->player->threads;

	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + phase + turn * READ_PERIOD);
		read_config(worker);
		worker_done(worker);
	}
}

static void write_rarely(struct worker *worker)
{
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		sleep_until(worker, worker->start_ns + turn * WRITE_PERIOD);
		write_config(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	resource = player_resource(player, "rwlock", &config, 0, false);
	player_role(player, write_rarely, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, read_often, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
