/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that each write a file of their own and wait until it is on the disk, or read
 * it past the page cache.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "clock.h"
#include "compute.h"
#include "player.h"

#define PAGE 4096
#define PAGES 64
#define REST (2 * MILLISECOND)

static uint32_t disk; /* resource */

static OUTLINED ssize_t write_through(int fd, const char *page, uint64_t turn)
{
	ssize_t moved = pwrite(fd, page, PAGE, (off_t)(turn % PAGES) * PAGE);

	return fsync(fd) == 0 ? moved : -1;
}

static OUTLINED ssize_t read_through(int fd, char *page, uint64_t turn)
{
	return pread(fd, page, PAGE, (off_t)(turn * 7 % PAGES) * PAGE);
}

/* A file without a name, where direct access is asked for if the file system has it. */
static int open_file(void)
{
	int fd = open("/var/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC | O_DIRECT, 0600);

	return fd >= 0 ? fd : open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
}

static void use_disk(struct worker *worker)
{
	_Alignas(PAGE) char page[PAGE] = { 0 };
	bool reads = worker->index % 2;
	int fd = open_file();

	for (uint64_t turn = 0; turn < PAGES && reads; turn++)
		if (pwrite(fd, page, PAGE, (off_t)turn * PAGE) < 0)
			return;
	for (uint64_t turn = 0; !worker_stopped(worker); turn++) {
		struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, disk, clock_ns());
		ssize_t moved = reads ? read_through(fd, page, turn) : write_through(fd, page, turn);

		ledger_end(wait, clock_ns());
		if (moved > 0)
			worker->log.account->acquisitions++;
		compute_blocks(worker, 100);
		sleep_ns(worker, REST);
		worker_done(worker);
	}
}

static int arrange(struct player *player)
{
	disk = player_resource(player, "disk", NULL, 0, true);
	for (uint64_t i = 0; i < player->options.contenders; i++)
		player_role(player, use_disk, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .control = true, .arrange = arrange });
}
