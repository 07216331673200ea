/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads write lines into one pipe, for which the kernel takes the pipe's mutex, and
 * copies with it held. One thread writes from memory that comes late, and so holds the
 * mutex for as long as it takes to come (lib/paged.h); the others hold it for a
 * millisecond or two in the same way, and pass it on to each other. Once a round a reader
 * empties the pipe, which never fills.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "clock.h"
#include "crowd.h"
#include "decoys.h"
#include "paged.h"
#include "player.h"

#define LINE 64

static int ends[2];
static uint32_t mutex; /* resource */
static struct crowd crowd;

static OUTLINED long write_line(struct worker *worker, void *page)
{
	(void)worker;
	return write(ends[1], page, LINE);
}

static OUTLINED void log_report(struct worker *worker, uint64_t ns)
{
	paged_call(worker, mutex, ns, write_line);
}

static OUTLINED void log_event(struct worker *worker, uint64_t ns)
{
	paged_call(worker, mutex, ns, write_line);
}

static OUTLINED void empty_pipe(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, mutex, clock_ns());
	char lines[LINE * PLAYER_MAX_ROLES];

	if (read(ends[0], lines, sizeof(lines)) > 0)
		worker->log.account->acquisitions++;
	ledger_end(wait, clock_ns());
}

static void collect_lines(struct worker *worker)
{
	for (uint64_t round = 0; !worker_stopped(worker); round++) {
		/* When all have been at it. */
		sleep_until(worker, worker->start_ns + (round + 1) * crowd.period_ns - crowd.lead_ns);
		empty_pipe(worker);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	static struct crowd_keeper keeper;
	uint64_t hold = player->options.hold_ns;
	uint64_t brief = hold * 4 / 100;

	if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || paged_make() != 0)
		return -1;
	mutex = player_resource(player, "kernel-mutex", NULL, 0, false);
	crowd = (struct crowd){
		.period_ns = hold * 11 / 10 + (player->options.contenders + 4) * brief,
		.acts = 1,
		.act_ns = { brief / 3 },
		.lead_ns = brief / 3, /* the keeper has to wait for the first, too */
		.delay_ns = 2 * brief, /* by then the keeper has it */
		.spacing_ns = brief / 3,
		.brief_ns = brief,
		.visit = log_event,
	};
	keeper = (struct crowd_keeper){
		.crowd = &crowd, .hold_ns = hold, .keep = log_report, .elsewhere = paged_touch,
	};
	crowd_add_keeper(player, &keeper);
	crowd_add_others(player, &crowd);
	player_role(player, collect_lines, NULL);
	paged_add_pager(player);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
