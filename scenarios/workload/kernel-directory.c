/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread lists a directory into memory that comes late: it stops in getdents64(2),
 * which holds the directory's rwsem for reading, for as long as the memory takes to come
 * (lib/paged.h). Another thread wants to make a file there and waits to write; those that
 * want to list after it wait behind it, and are woken by it, all at once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "decoys.h"
#include "paged.h"
#include "player.h"

#define FILES 12

static int directory; /* of a file system in memory that is mounted nowhere */
static uint32_t rwsem; /* resource */

static uint64_t brief(const struct worker *worker)
{
	return worker->player->options.hold_ns / 50;
}

static uint64_t round_begin(const struct worker *worker, uint64_t round)
{
	return worker->start_ns + round * worker->player->options.hold_ns * 5 / 4;
}

static OUTLINED long read_names(struct worker *worker, void *page)
{
	int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size = syscall(SYS_getdents64, own, page, PAGED_SIZE);

	(void)worker;
	close(own);
	return size;
}

static OUTLINED void scan_spool(struct worker *worker, uint64_t ns)
{
	paged_call(worker, rwsem, ns, read_names);
}

static OUTLINED void list_spool(struct worker *worker, uint64_t ns)
{
	paged_call(worker, rwsem, ns, read_names);
}

static void scan(struct worker *worker)
{
	uint64_t hold = worker->player->options.hold_ns;

	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round));
		if (worker_stopped(worker))
			return;
		if (worker_faulty(worker)) {
			scan_spool(worker, hold);
		} else {
			list_spool(worker, brief(worker));
			paged_touch(worker, hold - brief(worker));
		}
		worker_done(worker);
	}
}

/* Written down as waiting for as long as the calls last: they hold the lock for microseconds. */
static OUTLINED void submit_file(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, rwsem, clock_ns());
	int file = openat(directory, "incoming", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
	close(file);
}

static OUTLINED void withdraw_file(struct worker *worker)
{
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, rwsem, clock_ns());

	unlinkat(directory, "incoming", 0);
	ledger_end(wait, clock_ns());
	worker->log.account->acquisitions++;
}

static void submit(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + brief(worker) * 2);
		if (worker_stopped(worker))
			return;
		if (round % 2 == 0)
			submit_file(worker);
		else
			withdraw_file(worker);
		worker_done(worker);
	}
}

static void list(struct worker *worker)
{
	for (uint64_t round = 0;; round++) {
		sleep_until(worker, round_begin(worker, round) + brief(worker) * 4);
		if (worker_stopped(worker))
			return;
		list_spool(worker, brief(worker));
		worker_done(worker);
	}
}

static int make_directory(void)
{
	int context = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return -1;
	directory = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	close(context);
	for (int i = 0; i < FILES && directory >= 0; i++) {
		char name[16];
		int file;

		snprintf(name, sizeof(name), "job%d", i);
		file = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (file < 0)
			return -1;
		close(file);
	}
	return directory < 0 ? -1 : 0;
}

static int arrange(struct player *player)
{
	if (make_directory() != 0 || paged_make() != 0)
		return -1;
	rwsem = player_resource(player, "kernel-rwsem", NULL, 0, false);
	player_culprit(player, scan, NULL);
	player_decoy(player, submit, NULL, "last-waker");
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, list, NULL);
	paged_add_pager(player);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
