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

#include "events.h"
#include "identity.h"
#include "object.h"
#include "stack.h"
#include "state.h"
#include "syscalls.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Mentioned so that the object's BTF has them, from which Go's types are made. */
const union {
	enum loss loss;
	struct wait_event wait;
	struct preempt_event preempt;
	struct sample_event sample;
	struct exec_event exec;
	struct thread_totals totals;
} *exported __attribute__((unused));

static __always_inline void leave(void *ctx, struct task_struct *task, struct thread *t, __u32 state, __u64 now)
{
	/* The last switch of a thread is no wait. */
	if (state & TASK_DEAD)
		return;
	if (!state) {
		t->block_ns = 0;
		t->user_stack = send_events ? user_stack(task) : 0;
		t->out_ns = now;
		return;
	}
	describe(task, t, true);
	t->user_stack = send_events ? user_stack(task) : 0;
	t->kernel_stack = kernel_stack(ctx, &t->object);
	t->block_ns = now;
}

static __always_inline void send_wait(struct task_struct *task, struct thread *t,
				      struct task_struct *before, __u64 now)
{
	struct wait_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	e->type = EVENT_WAIT;
	e->pad = 0;
	identify(task, &e->thread);
	e->object = t->object;
	e->wake = t->wake;
	e->block_ns = t->block_ns;
	e->run_ns = now;
	e->user_stack = t->user_stack;
	e->kernel_stack = t->kernel_stack;
	identify(before, &e->occupant);
	submit(e, sizeof(*e));
}

static __always_inline void send_preemption(struct task_struct *task, struct thread *t,
					    struct task_struct *before, __u64 now)
{
	struct preempt_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	e->type = EVENT_PREEMPTED;
	e->pad = 0;
	identify(task, &e->thread);
	e->out_ns = t->out_ns;
	e->run_ns = now;
	e->user_stack = t->user_stack;
	identify(before, &e->occupant);
	submit(e, sizeof(*e));
}

/* A wait that began before the totals were last read counts from then on. */
static __always_inline void add_to_totals(struct thread *t, __u64 end)
{
	__u64 begin = t->block_ns > t->since_ns ? t->block_ns : t->since_ns;
	__u64 length = end > begin ? end - begin : 0;

	t->waits++;
	t->blocked_ns += length;
	if (length >= t->longest_ns) {
		t->longest_ns = length;
		t->longest_stack = t->kernel_stack;
	}
	t->last_waker = t->wake.kind == WAKE_THREAD || t->wake.kind == WAKE_KERNEL ? t->wake.by.tid : 0;
}

/*
 * A thread does not run again without a wake-up. One that was seen before the
 * sleep itself, but since the thread last had a CPU, was made by another CPU while
 * this one was still switching away; it is the wake-up of this sleep.
 */
static __always_inline void settle_wake(struct thread *t, __u64 now)
{
	if (t->wake.ns > t->in_ns) {
		if (t->wake.ns < t->block_ns)
			t->wake.ns = t->block_ns;
		return;
	}
	__builtin_memset(&t->wake, 0, sizeof(t->wake));
	t->wake.ns = now;
	count_loss(LOSS_UNMATCHED_WAKE);
}

static __always_inline void enter(struct task_struct *task, struct thread *t, struct task_struct *before, __u64 now)
{
	if (t->block_ns) {
		settle_wake(t, now);
		add_to_totals(t, t->wake.ns);
		if (send_events)
			send_wait(task, t, before, now);
		t->block_ns = 0;
	} else if (t->out_ns && send_events) {
		send_preemption(task, t, before, now);
	}
	t->out_ns = 0;
	t->in_ns = now;
}

static __always_inline int switched(void *ctx, bool preempt, struct task_struct *prev,
				    struct task_struct *next, __u32 prev_state)
{
	struct thread *leaves = watched(prev), *enters = watched(next);
	__u64 now;

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

/*
 * Whether this program runs on a stack other than the task's, as it does when it
 * was called from an interrupt that came while the kernel ran. Its own stack must
 * stay under 64 bytes, beyond which it would be given one apart. The task's stack
 * is 16 KiB on both architectures.
 */
static __noinline bool off_task_stack(struct task_struct *current)
{
	__u64 distance;

	if (!current)
		return true;
	/* A pointer cannot be subtracted from another where the verifier sees it. */
	asm volatile("%0 = r10\n%0 -= %1" : "=&r"(distance) : "r"(current));
	distance += bpf_get_current_task();
	distance -= (__u64)current->stack;
	return distance >= 16384;
}

/*
 * An interrupt that came while the task was in user mode runs on the task's own
 * stack, and the saved registers are not those of a system call. Nor are they in a
 * page fault, but what a page fault releases is a kernel lock, which no interrupt
 * does.
 */
static __always_inline bool in_interrupt(struct task_struct *current, enum call waker_call,
					 const struct object *waited_for)
{
	return off_task_stack(current) || (waker_call == CALL_FAULT && !waited_for->kernel_lock);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	struct task_struct *waker;
	struct pt_regs *regs;
	struct thread *t = watched(task);
	__u64 now;

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	/* The first wake-up of a sleep is the one that ends it. */
	if (t->block_ns && t->wake.ns >= t->block_ns)
		return 0;
	waker = bpf_get_current_task_btf();
	t->wake.stack = 0;
	t->wake.address = 0;
	t->wake.call = CALL_OTHER;
	if (waker->flags & PF_KTHREAD) {
		t->wake.kind = waker->pid && !off_task_stack(waker) ? WAKE_KERNEL : WAKE_INTERRUPT;
	} else {
		regs = (struct pt_regs *)bpf_task_pt_regs(waker);
		t->wake.call = current_call(waker, regs);
		t->wake.address = regs_arg0(regs);
		t->wake.kind = in_interrupt(waker, t->wake.call, &t->object) ? WAKE_INTERRUPT : WAKE_THREAD;
	}
	if (t->wake.kind == WAKE_INTERRUPT)
		__builtin_memset(&t->wake.by, 0, sizeof(t->wake.by));
	else
		identify(waker, &t->wake.by);
	if (t->wake.kind == WAKE_THREAD && send_events && t->block_ns && now - t->block_ns >= brief_ns)
		t->wake.stack = user_stack(waker);
	t->wake.ns = now; /* last: from here on the wake-up counts */
	return 0;
}

/* Kernel locks: 5.19 and later (commit 16edd9b511a1). */
SEC("tp_btf/contention_begin")
int BPF_PROG(contention_begin, void *lock, unsigned int flags)
{
	struct thread *t;

	if (flags & LCB_F_SPIN)
		return 0;
	t = watched(bpf_get_current_task_btf());
	if (t) {
		t->kernel_lock = (__u64)lock;
		t->lock_flags = flags;
	}
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(contention_end, void *lock)
{
	struct thread *t = watched(bpf_get_current_task_btf());

	if (t && t->kernel_lock == (__u64)lock)
		t->kernel_lock = 0;
	return 0;
}

static __always_inline bool inherits(struct task_struct *parent, struct task_struct *child)
{
	if (!target_tgid)
		return !(child->flags & PF_KTHREAD) && tgid_of(child) != own_tgid;
	return watched(parent) && (with_children || parent->tgid == child->tgid);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	if (inherits(parent, child))
		watch(child);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task)
{
	struct exec_event *e;

	if (!send_events || !watched(task))
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return 0;
	}
	e->type = EVENT_EXEC;
	e->pad = 0;
	identify(task, &e->thread);
	submit(e, sizeof(*e));
	return 0;
}

static __always_inline void fill_totals(struct thread_totals *out, struct task_struct *task,
					const struct thread *t, __u64 now)
{
	__u64 begin;

	out->waits = t->waits;
	identify(task, &out->thread);
	bpf_probe_read_kernel(out->comm, sizeof(out->comm), task->comm);
	out->since_ns = t->since_ns;
	out->now_ns = now;
	out->blocked_ns = t->blocked_ns;
	out->longest_ns = t->longest_ns;
	out->longest_stack = t->longest_stack;
	out->last_waker = t->last_waker;
	out->out_ns = t->out_ns;
	out->open_ns = t->block_ns;
	out->user_stack = t->user_stack;
	out->kernel_stack = t->kernel_stack;
	out->object = t->object;
	__builtin_memset(&out->wake, 0, sizeof(out->wake));
	if (!t->block_ns)
		return;
	/* A thread that was woken and has no CPU yet no longer blocks. */
	if (t->wake.ns >= t->block_ns) {
		out->wake = t->wake;
		now = t->wake.ns;
	}
	begin = t->block_ns > t->since_ns ? t->block_ns : t->since_ns;
	if (now > begin) {
		out->blocked_ns += now - begin;
		if (now - begin >= out->longest_ns) {
			out->longest_ns = now - begin;
			out->longest_stack = t->kernel_stack;
		}
	}
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	struct thread *t = watched(task);
	struct thread_totals *e;

	if (!t)
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return 0;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->type = EVENT_EXIT;
	fill_totals(e, task, t, bpf_ktime_get_ns());
	submit(e, sizeof(*e));
	return 0;
}

SEC("perf_event")
int sample(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sample_event *e;
	__u64 stack;

	if (!watched(task))
		return 0;
	stack = user_stack(task);
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count_loss(LOSS_RING_FULL);
		return 0;
	}
	e->type = EVENT_SAMPLE;
	e->pad = 0;
	identify(task, &e->thread);
	e->ns = bpf_ktime_get_ns();
	e->user_stack = stack;
	submit(e, sizeof(*e));
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

enum {
	MAX_GENERATIONS = 16,
	/*
	 * Looking into a task's storage keeps all others on this CPU from being given
	 * one, for as long as the iterator is preempted there: look into few.
	 */
	NEVER_WATCHED = PF_EXITING | PF_KTHREAD,
};

static __always_inline bool descends(struct task_struct *task)
{
	struct task_struct *p = task;

	if (!target_tgid)
		return true;
	if (tgid_of(task) == target_tgid)
		return true;
	if (!with_children)
		return false;
	for (int i = 0; i < MAX_GENERATIONS; i++) {
		p = BPF_CORE_READ(p, real_parent);
		if (!p || !BPF_CORE_READ(p, pid))
			return false;
		if ((pidns_inum ? namespaced(BPF_CORE_READ(p, group_leader, thread_pid))
				: BPF_CORE_READ(p, tgid)) == target_tgid)
			return true;
	}
	return false;
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
	if (task_state(task) && !task->on_cpu) {
		describe(task, t, false);
		t->block_ns = bpf_ktime_get_ns();
	}
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

static __always_inline void restart_totals(struct thread *t, __u64 now)
{
	t->since_ns = now;
	t->waits = 0;
	t->blocked_ns = 0;
	t->longest_ns = 0;
	t->longest_stack = 0;
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
