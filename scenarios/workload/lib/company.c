/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "company.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"

/* Interrupts system calls. Sent only after `stop` is set, so it does no harm before. */
#define KICK SIGUSR1

/* What a thread may take to end, or to reach the gate. */
#define PATIENCE (5 * SECOND)

static int complain(const struct company *company, const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", company->player->name, what, strerror(error));
	return -1;
}

static void wait_at_gate(struct gate *gate)
{
	atomic_fetch_add(&gate->ready, 1);
	while (!atomic_load(&gate->open))
		syscall(SYS_futex, &gate->open, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void *play(void *argument)
{
	struct worker *worker = argument;
	struct gate *gate = worker->player->gate;
	struct ledger_thread *thread;
	struct account account;
	char name[16];

	snprintf(name, sizeof(name), "w%u", worker->index);
	pthread_setname_np(pthread_self(), name);
	ledger_open(&worker->log, &worker->player->ledger, worker->index);
	thread = worker->log.account;
	thread->flags = worker->role->flags;
	if (worker->role->decoy)
		strncpy(thread->decoy, worker->role->decoy, sizeof(thread->decoy) - 1);
	/* A thread that cannot say who it is does not come to the gate. */
	if (account_open(&account, thread) != 0)
		return NULL;
	wait_at_gate(gate);
	worker->start_ns = atomic_load(&gate->start_ns);
	account_begin(&account, thread);
	worker->role->run(worker);
	account_end(&account, thread);
	return NULL;
}

/* Creates the threads whose place is in this process. */
static int create_threads(struct company *company)
{
	struct player *player = company->player;

	for (unsigned int i = company->process; i < player->threads; i += company->processes) {
		int error = pthread_create(&company->threads[i], NULL, play, &company->workers[i]);

		if (error)
			return complain(company, "create a thread", error);
		company->running[i] = !company->workers[i].role->joined;
	}
	return 0;
}

static void ignore(int signal)
{
	(void)signal;
}

/* Joins the threads of this process, interrupting whatever they sleep in. */
static int join_threads(struct company *company)
{
	struct timespec pause = { .tv_nsec = MILLISECOND / 2 };
	uint64_t deadline = clock_ns() + PATIENCE;
	bool all;

	if (company->workload->wake)
		company->workload->wake();
	do {
		all = true;
		for (unsigned int i = 0; i < company->player->threads; i++) {
			if (!company->running[i])
				continue;
			if (pthread_tryjoin_np(company->threads[i], NULL) == 0) {
				company->running[i] = false;
				continue;
			}
			pthread_kill(company->threads[i], KICK);
			all = false;
		}
		if (!all)
			nanosleep(&pause, NULL);
	} while (!all && clock_ns() < deadline);
	return all ? 0 : complain(company, "join the threads", ETIMEDOUT);
}

/* The life of a process other than the first. */
static _Noreturn void be_child(struct company *company, pid_t parent)
{
	struct pollfd tie = { .fd = company->tie[0] };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	close(company->tie[1]);
	/* Whoever talks to the first process is to see its end, not ours. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (company->workload->settle && company->workload->settle(company->player) != 0) {
		complain(company, "settle", errno);
		_exit(EXIT_FAILURE);
	}
	if (create_threads(company) != 0)
		_exit(EXIT_FAILURE);
	while (poll(&tie, 1, -1) < 0 && errno == EINTR)
		;
	if (!atomic_load(&company->player->gate->stop))
		_exit(EXIT_FAILURE);
	_exit(join_threads(company) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int fork_children(struct company *company)
{
	pid_t parent = getpid();

	for (unsigned int i = 1; i < company->processes; i++) {
		pid_t child = fork();

		if (child < 0)
			return complain(company, "fork", errno);
		if (child == 0) {
			company->process = i;
			be_child(company, parent);
		}
		company->children[i] = child;
	}
	return 0;
}

static int wait_ready(struct company *company)
{
	struct timespec pause = { .tv_nsec = MILLISECOND / 2 };
	uint64_t deadline = clock_ns() + PATIENCE;

	while (atomic_load(&company->player->gate->ready) < company->player->threads) {
		if (clock_ns() > deadline)
			return complain(company, "wait for the threads", ETIMEDOUT);
		nanosleep(&pause, NULL);
	}
	return 0;
}

int company_gather(struct company *company)
{
	struct sigaction kick = { .sa_handler = ignore };

	sigaction(KICK, &kick, NULL);
	/* Rounds are kept by timers: they should be on time. */
	prctl(PR_SET_TIMERSLACK, MICROSECOND);
	if (pipe(company->tie) != 0)
		return complain(company, "make a pipe", errno);
	if (fork_children(company) != 0 || create_threads(company) != 0)
		return -1;
	return wait_ready(company);
}

void company_go(struct company *company)
{
	struct gate *gate = company->player->gate;

	/* All are past the gate when the first round begins. */
	atomic_store(&gate->start_ns, clock_ns() + MILLISECOND);
	atomic_store(&gate->open, 1);
	syscall(SYS_futex, &gate->open, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	company->player->ledger.header->go_ns = clock_ns();
}

static int join_children(struct company *company)
{
	int result = 0;

	close(company->tie[1]);
	for (unsigned int i = 1; i < company->processes; i++) {
		int status;

		while (waitpid(company->children[i], &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
			result = complain(company, "end a process", ECHILD);
	}
	return result;
}

int company_end(struct company *company)
{
	int joined, ended;

	atomic_store(&company->player->gate->stop, 1);
	company->player->ledger.header->stop_ns = clock_ns();
	joined = join_threads(company);
	ended = join_children(company);
	return joined == 0 && ended == 0 ? 0 : -1;
}
