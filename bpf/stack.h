/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks. Each is kept once, in a hash keyed by its content, and named by its key.
 * bpf_get_stackid() would lose the hottest of them to collisions. The reader copies
 * a stack when it first meets its name, so that it matters little which one the
 * kernel drops when there are too many.
 */
#ifndef STACK_H
#define STACK_H

#include "state.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct stack);
} stacks SEC(".maps");

enum { RECENT_STACKS = 64, RECENT_MISSES = 64, COPY_WORDS = 128 };

/*
 * Where a stack is put together: a stack is larger than a program's own. Most who use it
 * run with interrupts off. At contention_end a sample may come between, and with
 * PREEMPT_RT from 7.0 on another thread: who comes between gets no stack.
 */
struct scratch {
	bool lent;
	struct stack stack;
	__u64 recent[RECENT_STACKS]; /* names of stacks that were kept */
	__u64 words[COPY_WORDS + 1]; /* of the user's stack, from its top; see PLACE_REGISTER */
	struct {
		__u64 miss;
		__u64 ns;
	} missed[RECENT_MISSES];
	struct memo memo; /* of the walk being made */
	__u32 fp_place;   /* where its frame pointer was read */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
	return hash ^ hash >> 29;
}

static __always_inline struct scratch *borrow_scratch(void)
{
	__u32 zero = 0;
	struct scratch *space = bpf_map_lookup_elem(&scratch, &zero);

	if (!space)
		return NULL;
	if (*(volatile bool *)&space->lent) {
		count_loss(LOSS_STACK_INCOMPLETE);
		return NULL;
	}
	*(volatile bool *)&space->lent = true;
	barrier();
	return space;
}

static __always_inline void return_scratch(struct scratch *space)
{
	barrier();
	*(volatile bool *)&space->lent = false;
}

/* Returns the stack's name, 0 if it could not be kept. */
static __always_inline __u64 keep_stack(struct scratch *space, __u64 hash)
{
	__u64 *recent = &space->recent[hash % RECENT_STACKS];

	hash |= !hash;
	if (*recent == hash)
		return hash;
	if (bpf_map_update_elem(&stacks, &hash, &space->stack, BPF_NOEXIST) &&
	    !bpf_map_lookup_elem(&stacks, &hash)) {
		count_loss(LOSS_STACK_INCOMPLETE);
		return 0;
	}
	*recent = hash;
	return hash;
}

static __always_inline __u64 kernel_walk_in(struct scratch *space, void *ctx, __u64 address_space, __u64 flags)
{
	__u64 hash = address_space;
	struct stack *s = &space->stack;
	long size;

	size = bpf_get_stack(ctx, s->pc, sizeof(s->pc), flags);
	if (size <= 0) {
		count_loss(LOSS_STACK_INCOMPLETE);
		return 0;
	}
	s->frames = size / sizeof(s->pc[0]);
	s->sure = flags & BPF_F_USER_STACK ? 1 : s->frames;
	s->truncated = s->frames == MAX_FRAMES;
	s->space = address_space;
	for (__u32 i = 0; i < MAX_FRAMES && i < s->frames; i++) {
		if (i && flags & BPF_F_USER_STACK)
			s->pc[i] |= RETURN_ADDRESS;
		hash = mix(hash, s->pc[i]);
	}
	return keep_stack(space, hash);
}

/* Takes a stack the way the kernel does: bpf_get_stack() with flags. Space 0 is the kernel's. */
static __always_inline __u64 kernel_walk(void *ctx, __u64 address_space, __u64 flags)
{
	struct scratch *space = borrow_scratch();
	__u64 name;

	if (!space)
		return 0;
	name = kernel_walk_in(space, ctx, address_space, flags);
	return_scratch(space);
	return name;
}

static __always_inline bool unexplained(const struct object *o)
{
	return o->kernel_lock || o->call == CALL_OTHER || o->call == CALL_FAULT;
}

static __always_inline __u64 kernel_stack(void *ctx, const struct object *o)
{
	if (kernel_stacks == KERNEL_STACKS_NEVER)
		return 0;
	if (kernel_stacks == KERNEL_STACKS_UNEXPLAINED && !unexplained(o))
		return 0;
	return kernel_walk(ctx, 0, 0);
}

#endif
