/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads want a mutex and the lock of a file. Each has its own open file, so the
 * kernel keeps them apart. At first both take the mutex first; from a quarter of the
 * run on one of them takes the file first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "turns.h"

#define PERIOD (90 * MILLISECOND)
#define READ_PERIOD (60 * MILLISECOND)
#define COUNT_PERIOD (8 * MILLISECOND)

enum { IMPORTER, EXPORTER, SIDES };

static struct logged_mutex rows = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static struct logged_mutex counters = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static int files[SIDES];
static uint32_t file_resource;

static OUTLINED struct ledger_entry *lock_file(struct worker *worker, int file)
{
	struct ledger_entry *wait =
		ledger_begin(&worker->log, LEDGER_WAITING, file_resource, clock_ns());
	uint64_t now;

	while (flock(file, LOCK_EX) != 0 && errno == EINTR && !worker_stopped(worker))
		;
	now = clock_ns();
	ledger_end(wait, now);
	worker->log.account->acquisitions++;
	return ledger_begin(&worker->log, LEDGER_HOLDING, file_resource, now);
}

static OUTLINED void unlock_file(int file, struct ledger_entry *held)
{
	ledger_end(held, clock_ns());
	flock(file, LOCK_UN);
}

static bool turned(const struct worker *worker)
{
	return worker_faulty(worker) &&
	       clock_ns() >= worker->start_ns + worker->player->options.duration_ns / 4;
}

static OUTLINED void import_rows(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &rows);
	struct ledger_entry *locked;

	sleep_ns(worker, turned(worker) ? ns : 0);
	locked = lock_file(worker, files[IMPORTER]);
	compute_blocks(worker, 100);
	unlock_file(files[IMPORTER], locked);
	mutex_leave(&rows, held);
}

static OUTLINED void export_rows(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *locked = lock_file(worker, files[EXPORTER]);
	struct ledger_entry *held;

	sleep_ns(worker, ns);
	held = mutex_enter(worker, &rows);
	compute_blocks(worker, 100);
	mutex_leave(&rows, held);
	unlock_file(files[EXPORTER], locked);
}

/* The same in the order of the other side. */
static OUTLINED void append_rows(struct worker *worker)
{
	struct ledger_entry *held = mutex_enter(worker, &rows);
	struct ledger_entry *locked = lock_file(worker, files[EXPORTER]);

	compute_blocks(worker, 100);
	unlock_file(files[EXPORTER], locked);
	mutex_leave(&rows, held);
}

static void take_side(struct worker *worker, uint64_t ns)
{
	if (turned(worker))
		export_rows(worker, ns);
	else
		append_rows(worker);
}

static OUTLINED void read_row(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &rows);

	compute_ns(worker, ns);
	mutex_leave(&rows, held);
}

static OUTLINED void count_event(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, &counters);

	compute_ns(worker, ns);
	mutex_leave(&counters, held);
}

/* Opens one file twice: a lock belongs to the open file, not to the process. */
static int open_files(struct player *player)
{
	struct stat info;
	char path[32];

	files[IMPORTER] = memfd_create("rows", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", files[IMPORTER]);
	files[EXPORTER] = open(path, O_RDWR | O_CLOEXEC);
	if (files[IMPORTER] < 0 || files[EXPORTER] < 0 || fstat(files[IMPORTER], &info) != 0)
		return -1;
	file_resource = player_resource(player, "flock", NULL, info.st_ino, false);
	return 0;
}

static void add_company(struct player *player)
{
	for (int i = 0; i < 3; i++) {
		struct turns turns = {
			.period_ns = COUNT_PERIOD, .phase_ns = i * 50 * MICROSECOND, .span_ns = MILLISECOND,
			.act = count_event,
		};

		if (i == 1)
			turns_add_decoy(player, turns, "last-waker");
		else
			turns_add(player, turns);
	}
}

static int arrange(struct player *player)
{
	uint64_t hold = player->options.hold_ns;

	if (open_files(player) != 0)
		return -1;
	rows.resource = player_resource(player, "mutex", &rows.mutex, 0, false);
	counters.resource = player_resource(player, "mutex", &counters.mutex, 0, false);
	turns_add_culprit(player, (struct turns){ .period_ns = PERIOD, .span_ns = hold, .act = import_rows });
	turns_add_culprit(player, (struct turns){ .period_ns = PERIOD, .span_ns = hold, .act = take_side });
	for (uint64_t i = 0; i < player->options.contenders; i++)
		turns_add(player, (struct turns){
			.period_ns = READ_PERIOD, .phase_ns = (3 + i) * MILLISECOND, .span_ns = 50 * MICROSECOND,
			.act = read_row,
		});
	add_company(player);
	return decoys_add(player);
}

/* A mutex of the default kind may be unlocked by any thread. */
static void wake(void)
{
	pthread_mutex_unlock(&rows.mutex);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = wake });
}
