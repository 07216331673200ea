/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks. Each is kept once, in a hash keyed by its content, and named by its key.
 * bpf_get_stackid() would lose the hottest of them to collisions.
 */
#ifndef STACK_H
#define STACK_H

#include "state.h"
#include "syscalls.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct stack);
} stacks SEC(".maps");

/*
 * Where a stack is put together: a stack is larger than a program's own. Whoever
 * uses it runs with interrupts off, so none is interrupted by another.
 */
enum { RECENT_STACKS = 64 };

struct scratch {
	struct stack stack;
	__u64 recent[RECENT_STACKS]; /* names of stacks that are kept: nothing is ever taken out */
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

static __always_inline struct scratch *scratch_space(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&scratch, &zero);
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
		count_loss(LOSS_MAP_FULL);
		return 0;
	}
	*recent = hash;
	return hash;
}

/*
 * The user stack of the current task, which must be task, along its frame
 * pointers. Code without them ends the walk early or hides its caller; a walk that
 * met an address it could not read is marked incomplete.
 */
static __noinline __u64 walk_user_stack(struct task_struct *task)
{
	struct scratch *space = scratch_space();
	struct stack *s;
	struct pt_regs *regs;
	__u64 hash, fp, floor;
	__u32 n = 1;

	if (!space || !task || task->flags & PF_KTHREAD)
		return 0;
	s = &space->stack;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	s->incomplete = 0;
	s->pc[0] = regs_pc(regs);
	hash = mix(mix(task->tgid, task->self_exec_id), s->pc[0]);
	fp = regs_fp(regs);
	floor = regs_sp(regs);
	for (; n < MAX_FRAMES; n++) {
		struct { __u64 fp, pc; } frame;

		if (fp < floor || fp & 7)
			break;
		if (bpf_probe_read_user(&frame, sizeof(frame), (void *)fp)) {
			s->incomplete = 1;
			count_loss(LOSS_STACK_INCOMPLETE);
			break;
		}
		if (!frame.pc)
			break;
		s->pc[n] = frame.pc;
		hash = mix(hash, frame.pc);
		floor = fp + sizeof(frame);
		fp = frame.fp;
	}
	s->frames = n;
	return keep_stack(space, hash);
}

static __always_inline __u64 user_stack(struct task_struct *task)
{
	return user_stacks ? walk_user_stack(task) : 0;
}

static __always_inline bool unexplained(const struct object *o)
{
	return o->kernel_lock || o->call == CALL_OTHER || o->call == CALL_FAULT;
}

static __always_inline __u64 kernel_stack(void *ctx, const struct object *o)
{
	struct scratch *space;
	struct stack *s;
	__u64 hash = 0;
	long size;

	if (kernel_stacks == KERNEL_STACKS_NEVER)
		return 0;
	if (kernel_stacks == KERNEL_STACKS_UNEXPLAINED && !unexplained(o))
		return 0;
	space = scratch_space();
	if (!space)
		return 0;
	s = &space->stack;
	size = bpf_get_stack(ctx, s->pc, sizeof(s->pc), 0);
	if (size <= 0) {
		count_loss(LOSS_STACK_INCOMPLETE);
		return 0;
	}
	s->incomplete = 0;
	s->frames = size / sizeof(s->pc[0]);
	for (__u32 i = 0; i < MAX_FRAMES && i < s->frames; i++)
		hash = mix(hash, s->pc[i]);
	return keep_stack(space, hash);
}

#endif
