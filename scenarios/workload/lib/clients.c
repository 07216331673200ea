/* SPDX-License-Identifier: Apache-2.0 */
#include "clients.h"

#include "compute.h"
#include "pipe.h"
#include "player.h"
#include "turns.h"

static struct clients played;
static struct logged_pipe answers[CLIENTS];

/* It works for all of them until each has its answer. */
static OUTLINED void answer_all(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *works[CLIENTS];

	for (int i = 0; i < CLIENTS; i++)
		works[i] = work_begin(worker, answers[i].data);
	played.errand(worker, ns);
	for (int i = 0; i < CLIENTS; i++) {
		work_end(works[i]);
		if (!pipe_give(worker, &answers[i], 64))
			return;
	}
}

static OUTLINED void await_answer(struct worker *worker, uint64_t ns)
{
	const struct logged_pipe *answer = turns_what(worker);
	struct ledger_entry *work;

	(void)ns;
	if (!pipe_take(worker, answer, 64))
		return;
	work = work_begin(worker, answer->room);
	compute_blocks(worker, 50);
	work_end(work);
}

int clients_add(struct player *player, struct clients clients)
{
	played = clients;
	turns_add_decoy(player, (struct turns){
		.period_ns = clients.period_ns, .phase_ns = clients.phase_ns, .span_ns = clients.errand_ns,
		.act = answer_all,
	}, "last-waker");
	for (int i = 0; i < CLIENTS; i++) {
		if (pipe_make(player, &answers[i]) != 0)
			return -1;
		turns_add(player, (struct turns){
			.period_ns = clients.period_ns, .phase_ns = clients.phase_ns + clients.late_ns,
			.act = await_answer, .what = &answers[i],
		});
	}
	return 0;
}
