/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "account.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "ledger.h"

/* Field 22 of stat. The name, field 2, may hold anything, but ends at the last ')'. */
static int read_start(uint64_t *ticks)
{
	char text[1024];
	int fd = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t size;
	char *field;

	if (fd < 0)
		return -1;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		return -1;
	text[size] = '\0';
	field = strrchr(text, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	if (!field || sscanf(field, "%" SCNu64, ticks) != 1) {
		errno = EPROTO;
		return -1;
	}
	return 0;
}

static uint64_t run_delay(const struct account *account)
{
	uint64_t delay = 0;
	char text[128];
	ssize_t size;

	if (account->schedstat < 0)
		return 0;
	size = pread(account->schedstat, text, sizeof(text) - 1, 0);
	if (size < 0)
		return 0;
	text[size] = '\0';
	return sscanf(text, "%*u %" SCNu64, &delay) == 1 ? delay : 0;
}

static uint64_t switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage) != 0)
		return 0;
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

int account_open(struct account *account, struct ledger_thread *thread)
{
	thread->pid = (uint32_t)getpid();
	thread->tid = (uint32_t)gettid();
	account->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	return read_start(&thread->start_ticks);
}

void account_begin(struct account *account, struct ledger_thread *thread)
{
	thread->switches = switches();
	thread->run_delay_begin_ns = run_delay(account);
}

void account_end(struct account *account, struct ledger_thread *thread)
{
	thread->switches = switches() - thread->switches;
	thread->run_delay_end_ns = run_delay(account);
	if (account->schedstat >= 0)
		close(account->schedstat);
}
