//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Watches threads block, be woken and run again.
 *
 * sched_switch, prev blocks:  what it waits for, its stack
 * sched_waking:               who lets it go, from where
 * sched_switch, next runs:    one event with all of it
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "batch.h"
#include "events.h"
#include "family.h"
#include "filelock.h"
#include "identity.h"
#include "interrupt.h"
#include "object.h"
#include "occupant.h"
#include "preempt.h"
#include "shed.h"
#include "spin.h"
#include "stack.h"
#include "state.h"
#include "task.h"
#include "threads.h"
#include "totals.h"
#include "unwind.h"
#include "wait.h"
#include "wake.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Mentioned so that the object's BTF has them, from which Go's types are made. */
const union {
	enum loss loss;
	struct wait_batch waits;
	struct preempt_event preempt;
	struct sample_event sample;
	struct exec_event exec;
	struct thread_totals totals;
	struct stack_miss miss;
	enum rule_kind kind;
	enum user_stack_policy user_stacks;
} *exported __attribute__((unused));

static __always_inline int switched(void *ctx, bool preempt, struct task_struct *prev,
				    struct task_struct *next, __u32 prev_state)
{
	struct thread *leaves = watched(prev), *enters = watched(next);
	__u64 now;

	if (send_events)
		note_run(prev, next);
	if (!leaves) {
		barrier_var(enters); /* else the two tests become one, of both pointers or-ed */
		if (!enters)
			return 0;
	}
	now = bpf_ktime_get_ns();
	/*
	 * A task with a signal pending is made runnable after its state was read, so
	 * both must say that it sleeps.
	 */
	if (leaves)
		leave(ctx, prev, leaves, !preempt && task_state(prev) ? prev_state : 0, now);
	if (enters)
		enter(next, enters, prev, now);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	return switched(ctx, preempt, prev, next, prev_state);
}

/* Before 5.18 (commit fa2c3254d7cf) the tracepoint had three arguments. */
SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch_three, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	return switched(ctx, preempt, prev, next, task_state(prev));
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	struct thread *t = watched(task);

	if (t)
		note_wake(ctx, task, t);
	return 0;
}

/* Kernel locks: 5.19 and later (commit 16edd9b511a1). */
SEC("tp_btf/contention_begin")
int BPF_PROG(contention_begin, void *lock, unsigned int flags)
{
	struct task_struct *task = current_task();
	struct thread *t;
	bool again;

	/* Spinlocks, which are had with other locks held and in interrupts. */
	if (flags & LCB_F_SPIN && !(flags & LCB_F_MUTEX))
		return 0;
	t = watched(task);
	if (!t)
		return 0;
	again = t->spin_ns && t->kernel_lock == (__u64)lock; /* it goes from one way of waiting to another */
	t->kernel_lock = (__u64)lock;
	t->lock_flags = flags;
	if (!again)
		begin_spin(task, t, bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(contention_end, void *lock)
{
	struct task_struct *task = current_task();
	struct thread *t = watched(task);

	if (!t || t->kernel_lock != (__u64)lock)
		return 0;
	if (t->spin_ns)
		finish_spin(ctx, task, t, bpf_ktime_get_ns());
	t->kernel_lock = 0;
	return 0;
}

SEC("tp_btf/flock_lock_inode")
int BPF_PROG(flock_lock_inode, struct inode *inode, struct file_lock *lock, int error)
{
	stay();
	if (!error && lock)
		note_file_lock(inode, lock);
	stay_no_more();
	return 0;
}

static __always_inline void forked(struct task_struct *parent, struct task_struct *child)
{
	struct thread *from, *t;

	if (!inherits(parent, child))
		return;
	t = watch(child);
	if (t)
		t->out_ns = bpf_ktime_get_ns(); /* it wants a CPU from now on */
	from = watched(parent);
	if (t && from)
		inherit_space(parent, from, child, t);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	stay();
	forked(parent, child);
	stay_no_more();
	return 0;
}

static __always_inline void executed(struct task_struct *task)
{
	struct thread *t = watched(task);
	struct exec_event *e;

	if (!send_events || !t)
		return;
	t->fork_space = 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	e->type = EVENT_EXEC;
	e->pad = 0;
	identify(task, &e->thread);
	submit(e, sizeof(*e));
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task)
{
	stay();
	executed(task);
	stay_no_more();
	return 0;
}

static __always_inline void exited(struct task_struct *task)
{
	struct thread *t = watched(task);
	struct thread_totals *e;

	if (!t || t->ended)
		return;
	t->ended = true;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->type = EVENT_EXIT;
	fill_totals(e, task, t, bpf_ktime_get_ns());
	submit(e, sizeof(*e));
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	stay();
	exited(task);
	stay_no_more();
	return 0;
}

#ifdef BEFORE_5_15
SEC("tp_btf/sched_process_free")
int BPF_PROG(sched_process_free, struct task_struct *task)
{
	forget(task);
	return 0;
}
#endif

SEC("perf_event")
int sample(void *ctx)
{
	struct task_struct *task = current_task();
	struct thread *t = watched(task);
	struct sample_event *e;
	__u64 stack, now;

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	stack = user_stack(ctx, task, t, now);
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return 0;
	}
	e->type = EVENT_SAMPLE;
	e->pad = 0;
	identify(task, &e->thread);
	e->ns = now;
	e->user_stack = stack;
	submit(e, sizeof(*e));
	return 0;
}

/* To be run on each CPU: sends what is held back there. Nothing calls it by itself. */
SEC("raw_tp")
int send_pending(void *ctx)
{
	struct pending *p = pending_waits();

	if (p && p->batch.count)
		send_batch(p);
	return 0;
}

/* What the hooks cost by themselves: the floor that overhead is measured against. */
SEC("tp_btf/sched_switch")
int BPF_PROG(empty_switch)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(empty_waking)
{
	return 0;
}

/*
 * Watches the threads that are there already, and writes a byte for each. One that
 * sleeps is taken to have begun now.
 */
SEC("iter/task")
int watch_existing(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t;
	char found = 1;

	if (!task || task->flags & NEVER_WATCHED || watched(task) || tgid_of(task) == own_tgid || !descends(task))
		return 0;
	t = watch(task);
	if (!t)
		return 0;
	own_space(task, t);
	if (task_state(task) && !is_on_cpu(task)) {
		describe(task, t, false);
		t->block_ns = bpf_ktime_get_ns();
	}
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

/*
 * Writes each watched thread's totals and starts them again from now. A thread that
 * exits tells of itself, and what is left of it then waits for nothing.
 */
SEC("iter/task")
int read_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_totals out = {};
	struct thread *t;
	__u64 in_ns;

	if (!task || task->flags & NEVER_WATCHED)
		return 0;
	t = watched(task);
	if (!t)
		return 0;
	if (t->lean && t->block_ns) {
		describe(task, t, false);
		t->lean = false;
	}
	out.type = EVENT_EXIT;
	/* Again, if the thread came to run meanwhile and changed what was being read. */
	for (int i = 0; i < 3; i++) {
		in_ns = *(volatile __u64 *)&t->in_ns;
		fill_totals(&out, task, t, bpf_ktime_get_ns());
		if (in_ns == *(volatile __u64 *)&t->in_ns)
			break;
	}
	if (bpf_seq_write(ctx->meta->seq, &out, sizeof(out)))
		return 0; /* the buffer is full: the kernel calls again for this task */
	restart_totals(t, out.now_ns);
	return 0;
}
