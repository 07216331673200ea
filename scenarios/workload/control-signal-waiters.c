/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that sleep until they are sent a signal, which a timer does to one after the other. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define CALL SIGUSR2
#define PERIOD (5 * MILLISECOND)

static uint32_t call; /* resource: that the signal comes */
static _Atomic pid_t waiters[PLAYER_MAX_ROLES];

static OUTLINED int await_call(void)
{
	sigset_t calls;

	sigemptyset(&calls);
	sigaddset(&calls, CALL);
	return sigwaitinfo(&calls, NULL);
}

static void block_calls(void)
{
	sigset_t calls;

	sigemptyset(&calls);
	sigaddset(&calls, CALL);
	pthread_sigmask(SIG_BLOCK, &calls, NULL);
}

static void answer(struct worker *worker)
{
	block_calls();
	atomic_store(&waiters[worker->index], gettid());
	while (!worker_stopped(worker)) {
		struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, call, clock_ns());

		await_call();
		ledger_end(wait, clock_ns());
		compute_blocks(worker, 200);
		worker_done(worker);
	}
}

static void call_next(struct worker *worker)
{
	for (uint64_t turn = 0;; turn++) {
		pid_t next = atomic_load(&waiters[turn % worker->player->threads]);

		sleep_until(worker, worker->start_ns + turn * PERIOD);
		if (worker_stopped(worker))
			return;
		if (next)
			tgkill(getpid(), next, CALL);
		worker_done(worker);
	}
}

static void ignore(int signal)
{
	(void)signal;
}

static int arrange(struct player *player)
{
	struct sigaction action = { .sa_handler = ignore };

	call = player_resource(player, "signal", NULL, 0, true);
	player_role(player, call_next, NULL);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, answer, NULL);
	return sigaction(CALL, &action, NULL);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
