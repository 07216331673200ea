/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "onecpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

/* Longer than any interrupt, and shorter than any time slice. */
#define GAP (200 * MICROSECOND)

static cpu_set_t apart;
static uint32_t resource;

int onecpu_set_apart(struct player *player)
{
	int last = CPU_SETSIZE - 1;
	cpu_set_t rest;

	if (sched_getaffinity(0, sizeof(rest), &rest) != 0)
		return -1;
	while (last > 0 && !CPU_ISSET(last, &rest))
		last--;
	CPU_ZERO(&apart);
	CPU_SET(last, &apart);
	CPU_CLR(last, &rest);
	resource = player_resource(player, "cpu", NULL, 0, false);
	/* Threads inherit it. Refused where there is only one CPU. */
	return sched_setaffinity(0, sizeof(rest), &rest);
}

static void give_up(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	_Exit(EXIT_FAILURE);
}

void onecpu_join(int realtime)
{
	struct sched_param param = { .sched_priority = realtime };
	int error = pthread_setaffinity_np(pthread_self(), sizeof(apart), &apart);

	if (error)
		give_up("move to a CPU", error);
	error = pthread_setschedparam(pthread_self(), realtime ? SCHED_FIFO : SCHED_OTHER, &param);
	if (error)
		give_up("set the scheduling class", error);
}

static struct ledger_entry *occupied(struct worker *worker, uint64_t since)
{
	return ledger_begin(&worker->log, LEDGER_HOLDING, resource, since);
}

bool onecpu_kept_off(struct worker *worker, uint64_t from, uint64_t to)
{
	if (to - from < GAP)
		return false;
	ledger_end(ledger_begin(&worker->log, LEDGER_WAITING, resource, from), to);
	return true;
}

static void run(struct worker *worker, uint64_t ns, bool occupy)
{
	uint64_t before = clock_ns(), had = 0;
	struct ledger_entry *held = occupy ? occupied(worker, before) : NULL;

	while (had < ns && !worker_stopped(worker)) {
		uint64_t now;

		compute_blocks(worker, 1);
		now = clock_ns();
		if (!onecpu_kept_off(worker, before, now)) {
			had += now - before;
		} else if (held) {
			ledger_end(held, before);
			held = occupied(worker, now);
		}
		before = now;
	}
	if (held)
		ledger_end(held, before);
}

OUTLINED void onecpu_compute(struct worker *worker, uint64_t ns)
{
	run(worker, ns, false);
}

OUTLINED void onecpu_occupy(struct worker *worker, uint64_t ns)
{
	run(worker, ns, true);
}
