/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Waits on their way to the ring buffer. Its memory is cold wherever it is written, so
 * each CPU gathers some waits in memory that is not, and copies them over at once.
 *
 * Only the programs on sched_switch add to a batch, with interrupts off, and the one
 * that sends what is left runs where none of them can come between.
 */
#ifndef BATCH_H
#define BATCH_H

#include "state.h"

struct pending {
	__u64 since_ns; /* when the first of them ended */
	struct wait_batch batch;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pending);
} pending SEC(".maps");

static __always_inline struct pending *pending_waits(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&pending, &zero);
}

static __always_inline void send_batch(struct pending *p)
{
	__u64 count = p->batch.count, size;

	size = __builtin_offsetof(struct wait_batch, waits) + count * sizeof(struct wait_event);
	if (size > sizeof(struct wait_batch)) /* which the verifier cannot see by count */
		return;
	p->batch.type = EVENT_WAITS;
	if (bpf_ringbuf_output(&events, &p->batch, size, wakeup_flag(next_event(), size)))
		count_losses(LOSS_RING_FULL, count);
	p->batch.count = 0;
}

#endif
