/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * User stacks, by unwind rules. Few programs keep frame pointers, and glibc does not:
 * a walk along them loses the caller of the function that sleeps, which is the one
 * that matters. So each frame is left by the rule that the compiler wrote for its pc
 * into .eh_frame. User space puts the rules into a map as they are found missing.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include "identity.h"
#include "memo.h"
#include "stack.h"
#include "state.h"
#include "syscalls.h"
#include "task.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* only user space adds to it */
	__uint(max_entries, 131072);
	__type(key, struct rule_key);
	__type(value, struct rule);
} rules SEC(".maps");

/* Apart from the events, which a burst of copies would crowd out. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 2 << 20);
} misses SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} epoch SEC(".maps");

/* How long a thread does not ask again for a rule that is missing. */
const volatile __u64 miss_interval_ns = 2000000;

/* Whether the kernel has bpf_loop (5.17, commit e6f2dd0f8067). */
const volatile bool have_loop = false;

/*
 * What the rules of a task hold for: the addresses at which its program and libraries
 * lie. A child has the same until it executes another program, or either of them maps
 * or unmaps code. t is what is kept of the task, or NULL.
 */
static __always_inline __u64 code_layout(struct task_struct *task, const struct thread *t)
{
	struct mm_struct *mm = field(task, mm);
	__u64 code = field(mm, exec_vm);

	if (!t || !t->fork_space)
		return mix(mix((__u64)BPF_CORE_READ(mm, exe_file), field(mm, start_stack)), code);
	return t->fork_code == code ? t->fork_space : mix((__u64)BPF_CORE_READ(task, mm), code);
}

/*
 * User space begins a new epoch when it finds other code where there was some before:
 * a library that took another's place need not change anything that is seen here.
 */
static __always_inline __u64 address_space(struct task_struct *task, const struct thread *t)
{
	__u32 zero = 0;
	__u64 *now = bpf_map_lookup_elem(&epoch, &zero);

	return mix(code_layout(task, t), now ? *now : 0);
}

/*
 * What a process that was there before has mapped since it was forked is not known, so
 * it is taken to share no address space.
 */
static __always_inline void own_space(struct task_struct *task, struct thread *t)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!mm)
		return;
	t->fork_code = BPF_CORE_READ(mm, exec_vm);
	t->fork_space = mix((__u64)mm, t->fork_code); /* as it will be when it maps more */
}

/* A new process begins in its parent's address space, a new thread shares it. */
static __always_inline void inherit_space(struct task_struct *parent, const struct thread *from,
					  struct task_struct *child, struct thread *t)
{
	struct mm_struct *mm = BPF_CORE_READ(child, mm);

	if (mm == BPF_CORE_READ(parent, mm)) {
		t->fork_space = from->fork_space;
		t->fork_code = from->fork_code;
	} else if (mm && parent->mm) {
		t->fork_space = code_layout(parent, from);
		t->fork_code = BPF_CORE_READ(mm, exec_vm);
	}
}

/*
 * Moves to what a signal interrupted. Its registers lie in the ucontext to which the
 * stack pointer points when a handler has returned, frame, stack and instruction
 * pointer near each other (x86-64: arch/x86/include/uapi/asm/sigcontext.h).
 */
static __always_inline bool step_over_signal(struct scratch *space, struct cursor *c)
{
	struct { __u64 bp, bx, dx, ax, cx, sp, ip; } regs;

	if (bpf_probe_read_user(&regs, sizeof(regs), (void *)c->sp + 120))
		return false;
	depend(space, PLACE_OUTSIDE, 0);
	c->pc = regs.ip;
	c->sp = regs.sp;
	c->fp = regs.bp;
	space->fp_place = PLACE_OUTSIDE;
	return !(c->pc & RETURN_ADDRESS);
}

/* Moves to the caller. */
static __always_inline bool step(struct scratch *space, struct cursor *c, const struct rule *rule)
{
	__u64 cfa = c->sp;
	__u32 place;

	if (rule->kind == RULE_FP) {
		depend(space, space->fp_place, c->fp);
		cfa = c->fp;
	}
	cfa += rule->cfa;
	if (cfa <= c->sp)
		return false;
	if (rule->fp && !read_word(space, cfa + rule->fp, &c->fp, &space->fp_place))
		return false;
	if (!read_word(space, cfa - 8, &c->pc, &place) || c->pc & RETURN_ADDRESS)
		return false;
	depend(space, place, c->pc);
	c->sp = cfa;
	c->pc |= RETURN_ADDRESS;
	return true;
}

/* Whether the same was asked a moment ago, by this CPU. */
static __always_inline bool asked(struct scratch *space, const struct rule_key *key, __u64 sp, __u64 now)
{
	__u64 miss = mix(mix(key->space, key->pc), sp), i = miss % RECENT_MISSES;

	if (space->missed[i].miss == miss && now - space->missed[i].ns < miss_interval_ns)
		return true;
	space->missed[i].miss = miss;
	space->missed[i].ns = now;
	return false;
}

/*
 * Asks user space for the rules of what is left of a walk, and has it finish this
 * one. Returns the stack's name; there is no other like it.
 */
static __always_inline __u64 send_miss(struct task_struct *task, struct scratch *space,
				       const struct cursor *at, __u64 hash, const struct rule_key *key, __u64 now)
{
	__u64 name = mix(hash, now);
	struct stack_miss *m;
	__u64 page = 4096 - (at->sp & 4095);

	if (asked(space, key, at->sp, now))
		return 0;
	m = bpf_ringbuf_reserve(&misses, sizeof(*m), 0);
	if (!m)
		return 0;
	name |= !name;
	m->name = name;
	m->at = *at;
	m->tgid = tgid_of(task);
	__builtin_memcpy(&m->so_far, &space->stack, sizeof(m->so_far));
	m->length = sizeof(m->memory);
	if (bpf_probe_read_user(m->memory, sizeof(m->memory), (void *)at->sp)) {
		/* The mapping ends before that. */
		barrier_var(page);
		m->length = page;
		if (page > sizeof(m->memory) || bpf_probe_read_user(m->memory, page, (void *)at->sp))
			m->length = 0;
	}
	bpf_ringbuf_submit(m, 0); /* wakes the reader if it has read all others */
	return name;
}

enum walk_end { WALK_COMPLETE, WALK_TRUNCATED, WALK_MISSED };

/* A walk being made. */
struct walk {
	struct scratch *space;
	struct cursor at;
	struct rule_key key;
	__u64 hash;
	__u32 guessed;
	enum walk_end end;
};

/* Notes frame n and moves to the next; 1 ends the walk. */
static __always_inline long walk_frame(__u32 n, struct walk *w)
{
	struct stack *s = &w->space->stack;
	struct rule *rule;

	if (n >= MAX_FRAMES)
		return 1;
	s->pc[n] = w->at.pc;
	s->frames = n + 1;
	s->sure += 1 - w->guessed;
	w->hash = mix(w->hash, w->at.pc);
	w->key.pc = w->at.pc;
	rule = bpf_map_lookup_elem(&rules, &w->key);
	w->end = WALK_MISSED;
	if (!rule)
		return 1;
	w->end = WALK_COMPLETE;
	if (rule->kind == RULE_END)
		return 1;
	w->end = WALK_TRUNCATED;
	if (rule->kind == RULE_UNKNOWN)
		return 1;
	if (!(rule->kind == RULE_SIGNAL ? step_over_signal(w->space, &w->at) : step(w->space, &w->at, rule)))
		return 1;
	if (w->at.pc == RETURN_ADDRESS) { /* and a 0: code that marks the end so */
		w->end = WALK_COMPLETE;
		return 1;
	}
	w->guessed |= rule->guessed & 1;
	return 0;
}

#ifndef BEFORE_5_15
static long next_frame(__u32 n, void *walk) { return walk_frame(n, walk); }
#endif

/*
 * The verifier goes over the body of bpf_loop once, and over that of a loop of ours once a
 * frame, in each program: loading then takes several times as long.
 */
static __always_inline void walk(struct walk *w)
{
	w->guessed = 0;
	w->space->stack.sure = 0;
#ifndef BEFORE_5_15 /* when functions could not be passed: 5.13, commit 69c087ba6225 */
	if (have_loop) {
		bpf_loop(MAX_FRAMES, next_frame, w, 0);
		return;
	}
#endif
	for (__u32 n = 0; n < MAX_FRAMES; n++)
		if (walk_frame(n, w))
			return;
}

/* Of what the registers hold besides the cursor: locals of the callers, and the call's arguments. */
static __always_inline __u64 fingerprint(struct pt_regs *regs)
{
	return mix(mix(kept_registers(regs), regs_arg0(regs)), mix(regs_arg1(regs), regs_arg2(regs)));
}

static __always_inline __u64 unwind_in(struct scratch *space, struct task_struct *task, struct thread *t, __u64 now)
{
	struct walk w = { .space = space };
	struct pt_regs *regs = saved_registers(task);
	__u64 name;

	w.at.pc = regs_pc(regs);
	w.at.sp = regs_sp(regs);
	w.at.fp = regs_fp(regs);
	w.key.space = address_space(task, t);
	name = t ? recall(space, t, w.key.space, &w.at, fingerprint(regs), now) : 0;
	if (name)
		return name;
	begin_memo(space, w.key.space, &w.at);
	space->stack.space = w.key.space;
	w.hash = w.key.space;
	walk(&w);
	switch (w.end) {
	case WALK_COMPLETE:
		space->stack.truncated = 0;
		name = keep_stack(space, w.hash);
		if (t)
			remember(space, t, name);
		return name;
	case WALK_MISSED:
		count_loss(LOSS_STACK_MISS);
		name = send_miss(task, space, &w.at, w.hash, &w.key, now);
		if (name)
			return name;
		break;
	default:
		break;
	}
	count_loss(LOSS_STACK_INCOMPLETE);
	space->stack.truncated = 1;
	return keep_stack(space, ~w.hash);
}

/* The user stack of the current task, which must be task; t is what is kept of it, or NULL. */
static __noinline __u64 unwind(struct task_struct *task, struct thread *t, __u64 now)
{
	struct scratch *space;
	__u64 name;

	if (!task || field(task, flags) & PF_KTHREAD || !field(task, mm))
		return 0;
	space = borrow_scratch();
	if (!space)
		return 0;
	name = unwind_in(space, task, t, now);
	return_scratch(space);
	return name;
}

static __always_inline __u64 user_stack(void *ctx, struct task_struct *task, struct thread *t, __u64 now)
{
	switch (user_stacks) {
	case USER_STACKS_BY_RULES:
		return unwind(task, t, now);
	case USER_STACKS_BY_FRAME_POINTERS:
		return field(task, flags) & PF_KTHREAD || !field(task, mm) ? 0 :
			kernel_walk(ctx, address_space(task, t), BPF_F_USER_STACK);
	default:
		return 0;
	}
}

#endif
