/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "paged.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "player.h"

#define NEVER UINT64_MAX

static int faults; /* the userfaultfd */
static char *memory;

/* What is known of a thread's page. */
static struct page {
	_Atomic uint64_t delay_ns;   /* asked for by the thread */
	_Atomic uint64_t touched_ns; /* 0: not since it was emptied */
} pages[PLAYER_MAX_ROLES];

int paged_make(void)
{
	size_t size = (size_t)PLAYER_MAX_ROLES * PAGED_SIZE;
	struct uffdio_register range = { .range.len = size, .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0)
		return -1;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	range.range.start = (uintptr_t)memory;
	return ioctl(faults, UFFDIO_REGISTER, &range);
}

/* Learns which pages have been touched since it last looked. */
static void note_touched(uint64_t due[])
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		uint64_t now = clock_ns();
		size_t which;

		if (message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		which = (size_t)(message.arg.pagefault.address - (uintptr_t)memory) / PAGED_SIZE;
		due[which] = now + atomic_load(&pages[which].delay_ns);
		atomic_store(&pages[which].touched_ns, now);
	}
}

static void fill(size_t which)
{
	static const _Alignas(PAGED_SIZE) char content[PAGED_SIZE];
	struct uffdio_copy copy = {
		.dst = (uintptr_t)memory + which * PAGED_SIZE, .src = (uintptr_t)content, .len = PAGED_SIZE,
	};

	ioctl(faults, UFFDIO_COPY, &copy);
}

/* Fills in what is due and returns when the next page will be. */
static uint64_t fill_due(uint64_t due[])
{
	uint64_t next = NEVER;

	for (size_t which = 0; which < PLAYER_MAX_ROLES; which++) {
		if (due[which] <= clock_ns()) {
			fill(which);
			due[which] = NEVER;
		}
		if (due[which] < next)
			next = due[which];
	}
	return next;
}

static void await_touch(uint64_t next)
{
	struct pollfd file = { .fd = faults, .events = POLLIN };
	uint64_t now = clock_ns();
	uint64_t left = next > now ? next - now : 0;
	struct timespec timeout = { .tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND) };

	ppoll(&file, 1, next == NEVER ? NULL : &timeout, NULL);
}

/*
 * A stall in the middle of a system call ends for no signal but a fatal one, so the
 * pages are left to the kernel as the run ends: who waits for one goes on.
 */
static void let_all_go(void)
{
	struct uffdio_range range = {
		.start = (uintptr_t)memory, .len = (size_t)PLAYER_MAX_ROLES * PAGED_SIZE,
	};

	ioctl(faults, UFFDIO_UNREGISTER, &range);
}

static void fill_pages(struct worker *worker)
{
	uint64_t due[PLAYER_MAX_ROLES];

	for (size_t which = 0; which < PLAYER_MAX_ROLES; which++)
		due[which] = NEVER;
	while (!worker_stopped(worker)) {
		note_touched(due);
		await_touch(fill_due(due));
		worker_done(worker);
	}
	let_all_go();
}

void paged_add_pager(struct player *player)
{
	player_decoy(player, fill_pages, NULL, "pager");
}

/* Empties the calling thread's page. */
static void *take_page(struct worker *worker, uint64_t ns)
{
	struct page *page = &pages[worker->index];
	void *start = memory + (size_t)worker->index * PAGED_SIZE;

	madvise(start, PAGED_SIZE, MADV_DONTNEED);
	atomic_store(&page->touched_ns, 0);
	atomic_store(&page->delay_ns, ns);
	return start;
}

void paged_call(struct worker *worker, uint32_t resource, uint64_t ns,
		long (*call)(struct worker *worker, void *page))
{
	void *page = take_page(worker, ns);
	struct ledger_entry *wait = ledger_begin(&worker->log, LEDGER_WAITING, resource, clock_ns());
	uint64_t touched, now;

	call(worker, page);
	now = clock_ns();
	touched = atomic_load(&pages[worker->index].touched_ns);
	ledger_end(wait, touched ? touched : now);
	if (touched)
		ledger_end(ledger_begin(&worker->log, LEDGER_HOLDING, resource, touched), now);
	worker->log.account->acquisitions++;
}

void paged_touch(struct worker *worker, uint64_t ns)
{
	const volatile char *page = take_page(worker, ns);

	if (!worker_stopped(worker))
		(void)*page;
}
