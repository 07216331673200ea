/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four stages over three pipes, of which the second computes each item for long, amid
 * thirty threads that take mutexes, use pipes and sleep by timers of their own. The
 * third passes on what it waited for. In the twin the second has it ready, and computes
 * once that is passed on.
 */
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "noise.h"
#include "pipe.h"
#include "player.h"
#include "turns.h"

#define NOISE 30

static struct logged_pipe lines, records, rows;

static OUTLINED void read_lines(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work = work_begin(worker, lines.data);

	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &lines, PIPE_ITEM);
}

static OUTLINED void parse_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	if (!pipe_take(worker, &lines, PIPE_ITEM))
		return;
	work = work_begin(worker, records.data);
	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &records, PIPE_ITEM);
}

static OUTLINED void hand_on_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	if (!pipe_take(worker, &lines, PIPE_ITEM))
		return;
	work = work_begin(worker, records.data);
	compute_blocks(worker, 20);
	work_end(work);
	pipe_give(worker, &records, PIPE_ITEM);
	compute_ns(worker, ns); /* as much as in the fault, while nobody waits */
}

static OUTLINED void convert_record(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	if (!pipe_take(worker, &records, PIPE_ITEM))
		return;
	work = work_begin(worker, rows.data);
	compute_ns(worker, ns);
	work_end(work);
	pipe_give(worker, &rows, PIPE_ITEM);
}

static OUTLINED void store_row(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *work;

	if (!pipe_take(worker, &rows, PIPE_ITEM))
		return;
	work = work_begin(worker, rows.room);
	compute_ns(worker, ns);
	work_end(work);
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;
	/* The slow stage computes for less of the time than the busy decoy does. */
	uint64_t period = hold * 7 / 2, brief = hold / 50;

	if (pipe_make(player, &lines) != 0 || pipe_make(player, &records) != 0 || pipe_make(player, &rows) != 0)
		return -1;
	turns_add(player, (struct turns){ .period_ns = period, .span_ns = brief, .act = read_lines });
	turns_add_culprit(player, (struct turns){
		.period_ns = period, .span_ns = hold, .act = parse_record, .twin = hand_on_record,
	});
	/* The later ones come when the item is under way. */
	turns_add_decoy(player, (struct turns){
		.period_ns = period, .phase_ns = 2 * brief, .span_ns = brief, .act = convert_record,
	}, "last-waker");
	turns_add(player, (struct turns){
		.period_ns = period, .phase_ns = brief * 3 / 2, .span_ns = brief, .act = store_row,
	});
	return noise_add(player, NOISE) == 0 ? decoys_add(player) : -1;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
