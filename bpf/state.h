/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What is kept of each watched thread, the knobs, and the losses. */
#ifndef STATE_H
#define STATE_H

#include "events.h"

enum kernel_stack_policy {
	KERNEL_STACKS_NEVER,
	KERNEL_STACKS_UNEXPLAINED, /* kernel locks, and waits the registers do not explain */
	KERNEL_STACKS_ALWAYS,
};

enum user_stack_policy {
	USER_STACKS_NEVER,
	USER_STACKS_BY_RULES,
	USER_STACKS_BY_FRAME_POINTERS, /* as the kernel walks them */
};

/* Fixed before loading. */
const volatile __u32 target_tgid = 0;    /* 0: the whole system */
const volatile bool with_children = true; /* watch the target's descendants too */
const volatile __u32 own_tgid = 0;       /* the collector, never watched */
const volatile __u32 pidns_inum = 0;     /* 0: tids are those of the first namespace */
const volatile bool send_events = true;  /* else only totals are kept */
const volatile enum user_stack_policy user_stacks = USER_STACKS_NEVER;
const volatile __u64 brief_ns = 10000; /* who ends a wait shorter than this is named without stack */
const volatile enum kernel_stack_policy kernel_stacks = KERNEL_STACKS_NEVER;
const volatile __u32 wakeup_bytes = 256 << 10; /* the reader is woken each time; a power of two */
const volatile __u64 batch_ns = 20000000; /* how long a wait may be held back for others */

/* By enum loss. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LOSS_CAUSES);
	__type(key, __u32);
	__type(value, __u64);
} lost SEC(".maps");

static __always_inline void count_losses(enum loss cause, __u64 n)
{
	__u32 key = cause;
	__u64 *count = bpf_map_lookup_elem(&lost, &key);

	if (count)
		__sync_fetch_and_add(count, n);
}

static __always_inline void count_loss(enum loss cause)
{
	count_losses(cause, 1);
}

enum {
	MEMOS = 4,
	MEMO_READS = 64, /* a power of two */
};

/* A walk that was made, by which the next from the same place is known again. */
struct memo {
	__u64 space;
	__u64 pc;
	__u64 sp;
	__u64 stack; /* its name, 0: there is no memo */
	__u64 proof; /* of the words that the walk depended on */
	__u64 proven_ns; /* when they were last compared */
	__u64 registers; /* the fingerprint of the others then */
	__u32 proofs;    /* how often they were found the same since they last differed */
	__u16 bytes;     /* of stack that they lie in */
	__u16 reads;
	__u8 word[MEMO_READS]; /* their places, in words from sp, or PLACE_REGISTER */
};

struct thread {
	struct object object; /* of the wait it is in, or was in last */
	struct wake wake;     /* the latest, kept until the thread runs */
	__u64 block_ns;       /* since when it sleeps, 0: it does not */
	__u64 out_ns;         /* since when it wants a CPU, 0: it does not */
	__u64 in_ns;          /* when it last had one */
	__u64 user_stack;
	__u64 kernel_stack;
	__u64 kernel_lock; /* between contention_begin and contention_end */
	__u32 lock_flags;
	__u32 spin_owner; /* tid of who had the lock as this thread began to spin, 0: not known */
	__u64 spin_ns;    /* since when it has run and wanted the lock, 0: it does not */
	__u64 spun_ns;    /* since when it has, if it does no more */
	bool sleeps;      /* it leaves its CPU to sleep */
	bool throttled; /* it wants a CPU that its group may not use */
	bool ended;     /* that has been told */
	bool lean;      /* nothing is known of the wait it is in but when it began, and from where */
	/* Totals since they were last read. */
	__u32 waits;
	__u32 untold; /* of waits */
	__u64 untold_ns;
	__u64 since_ns;
	__u64 blocked_ns;
	__u64 longest_ns;
	__u64 longest_stack;
	__u32 last_waker;
	/* The address space that its process was forked from, while it maps no other code. */
	__u64 fork_space; /* 0: none */
	__u64 fork_code;  /* pages of code at that time */
	struct memo memos[MEMOS];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} events SEC(".maps");

/*
 * The reader polls; it is woken only by the event that crosses a multiple of
 * wakeup_bytes. To wake it by every one as long as much is unread would slow the
 * target the more the further the reader is behind.
 */
static __always_inline __u64 wakeup_flag(__u64 begin, __u64 size)
{
	return (begin & (wakeup_bytes - 1)) + size >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Where the next event begins, about: other CPUs write too. */
static __always_inline __u64 next_event(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_PROD_POS);
}

static __always_inline void submit(void *event, __u32 size)
{
	bpf_ringbuf_submit(event, wakeup_flag(next_event() - size, size));
}

#endif
