/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ledger.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file is read by a program that knows these sizes: no field may be padded. */
_Static_assert(sizeof(struct ledger_header) == 40, "header");
_Static_assert(sizeof(struct ledger_resource) == 48, "resource");
_Static_assert(sizeof(struct ledger_thread) == 104, "thread");
_Static_assert(sizeof(struct ledger_entry) == 24, "entry");

static void *map_file(const char *path, size_t size)
{
	void *memory = MAP_FAILED;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return MAP_FAILED;
	/* To nothing first: what the file held before must read as zeros. */
	if (ftruncate(fd, 0) == 0 && ftruncate(fd, (off_t)size) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return memory;
}

int ledger_map(struct ledger *ledger, const char *path, uint32_t threads,
	       const struct ledger_resource *resources, uint32_t count, uint64_t capacity)
{
	size_t size = sizeof(struct ledger_header) + count * sizeof(struct ledger_resource) +
		      threads * sizeof(struct ledger_thread) +
		      threads * capacity * sizeof(struct ledger_entry);
	void *memory = map_file(path, size);

	if (memory == MAP_FAILED)
		return -1;
	ledger->header = memory;
	ledger->resources = (struct ledger_resource *)(ledger->header + 1);
	ledger->threads = (struct ledger_thread *)(ledger->resources + count);
	ledger->entries = (struct ledger_entry *)(ledger->threads + threads);

	memcpy(ledger->header->magic, LEDGER_MAGIC, sizeof(ledger->header->magic));
	ledger->header->threads = threads;
	ledger->header->resources = count;
	ledger->header->capacity = capacity;
	memcpy(ledger->resources, resources, count * sizeof(*resources));
	return 0;
}

void ledger_open(struct ledger_writer *writer, const struct ledger *ledger, uint32_t thread)
{
	writer->capacity = ledger->header->capacity;
	writer->account = &ledger->threads[thread];
	writer->entries = ledger->entries + thread * writer->capacity;
	memset(writer->entries, 0, writer->capacity * sizeof(struct ledger_entry));
}

struct ledger_entry *ledger_begin(struct ledger_writer *writer, enum ledger_kind kind,
				  uint32_t resource, uint64_t begin_ns)
{
	struct ledger_thread *account = writer->account;
	struct ledger_entry *entry;

	if (account->entries == writer->capacity) {
		account->dropped++;
		return &writer->spill;
	}
	entry = &writer->entries[account->entries];
	entry->begin_ns = begin_ns;
	entry->end_ns = 0;
	entry->kind = kind;
	entry->resource = resource;
	/* A run that is killed leaves no entry that is counted and not written. */
	atomic_signal_fence(memory_order_release);
	account->entries++;
	return entry;
}

void ledger_end(struct ledger_entry *entry, uint64_t end_ns)
{
	entry->end_ns = end_ns;
}
