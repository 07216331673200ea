/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread joins those that build the parts of something, and hands the whole on to
 * those that wait for it. One of the builders works for long when the others have ended.
 * In the twin it computes as much before anybody waits.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "pipe.h"
#include "player.h"
#include "sem.h"

#define MAX_BUILDERS 8
#define PIECES 20 /* of a hold each */

struct builder {
	uint32_t end; /* resource: its end */
	_Atomic bool known;
	pthread_t thread;
};

static struct builder builders[MAX_BUILDERS];
static unsigned int builder_count;
static struct logged_sem whole;

static uint64_t join_begin(const struct worker *worker)
{
	return worker->start_ns + worker->player->options.duration_ns / 3;
}

/* The C library joins a thread by the word that the kernel clears when it ends. */
static void introduce(struct worker *worker, struct builder *builder)
{
	struct ledger_resource *end = &worker->player->ledger.resources[builder->end];
	int *word = NULL;

	if (prctl(PR_GET_TID_ADDRESS, &word) == 0) {
		end->address = (uintptr_t)word;
		end->pid = (uint32_t)getpid();
	}
	builder->thread = pthread_self();
	atomic_store(&builder->known, true);
}

static OUTLINED void link_objects(struct worker *worker, uint64_t ns)
{
	for (int i = 0; i < PIECES && !worker_stopped(worker); i++) {
		compute_ns(worker, ns);
		worker_done(worker);
	}
}

static OUTLINED void compile_object(struct worker *worker, uint64_t ns)
{
	compute_ns(worker, ns);
	worker_done(worker);
}

static void await_start(struct worker *worker, uint64_t instant_ns)
{
	/* In short steps: nobody interrupts this one. */
	while (!worker_stopped(worker) && clock_ns() < instant_ns)
		sleep_ns(worker, 2 * MILLISECOND);
}

static void build_last(struct worker *worker)
{
	struct builder *builder = &builders[0];
	uint64_t hold = worker->player->options.hold_ns;
	struct ledger_entry *work;

	introduce(worker, builder);
	if (!worker_faulty(worker))
		link_objects(worker, hold);
	await_start(worker, join_begin(worker));
	work = work_begin(worker, builder->end);
	if (worker_faulty(worker))
		link_objects(worker, hold);
	else
		compile_object(worker, hold / 10);
	work_end(work);
}

static void build(struct worker *worker)
{
	struct builder *builder = (struct builder *)worker->part;
	struct ledger_entry *work;

	introduce(worker, builder);
	await_start(worker, join_begin(worker));
	work = work_begin(worker, builder->end);
	compile_object(worker, worker->player->options.hold_ns / 5);
	work_end(work);
}

static OUTLINED void join_builder(struct worker *worker, struct builder *builder)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, builder->end, clock_ns());

	pthread_join(builder->thread, NULL);
	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
}

/* It joins them all even if the run is over, for nobody else does. */
static void gather(struct worker *worker)
{
	struct ledger_entry *work;

	sleep_until(worker, join_begin(worker) + worker->player->options.hold_ns / 20);
	for (unsigned int i = builder_count; i-- > 0;) {
		while (!atomic_load(&builders[i].known))
			sleep_ns(worker, MILLISECOND);
		join_builder(worker, &builders[i]);
	}
	if (worker_stopped(worker))
		return;
	work = work_begin(worker, whole.resource);
	compute_blocks(worker, 20);
	work_end(work);
	sem_give(worker, &whole, worker->player->options.contenders);
	worker_done(worker);
}

static void await_whole(struct worker *worker)
{
	sleep_until(worker, join_begin(worker) + worker->player->options.hold_ns / 20);
	if (!worker_stopped(worker) && sem_take(worker, &whole))
		worker_done(worker);
}

static void add_builder(struct player *player)
{
	struct builder *builder = &builders[builder_count];

	builder->end = player_resource(player, "join", NULL, 0, true);
	if (builder_count++ == 0)
		player_culprit(player, build_last, NULL);
	else
		player_role(player, build, builder);
	player_joined(player);
}

static int arrange(struct player *player)
{
	uint64_t contenders = player->options.contenders;

	if (sem_make_stock(player, &whole) != 0)
		return -1;
	for (uint64_t i = 0; i < 1 + contenders && i < MAX_BUILDERS; i++)
		add_builder(player);
	player_decoy(player, gather, NULL, "last-waker");
	for (uint64_t i = 0; i < contenders; i++)
		player_role(player, await_whole, NULL);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
