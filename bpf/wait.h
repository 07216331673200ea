/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The two ends of a wait, and of a time in which a thread wanted a CPU: it leaves its
 * CPU, and it is back on one.
 */
#ifndef WAIT_H
#define WAIT_H

#include "batch.h"
#include "identity.h"
#include "object.h"
#include "occupant.h"
#include "shed.h"
#include "spin.h"
#include "stack.h"
#include "state.h"
#include "totals.h"
#include "unwind.h"

static __always_inline void leave(void *ctx, struct task_struct *task, struct thread *t, __u32 state, __u64 now)
{
	/* The last switch of a thread is no wait. */
	if (state & TASK_DEAD)
		return;
	/* In memory, of which the verifier knows nothing, so that it goes over the walk once. */
	t->sleeps = state;
	t->spun_ns = end_spin(t, now);
	t->lean = send_events && !t->spun_ns && sheds(now);
	t->user_stack = t->lean ? stack_from_here(task, t) : 0;
	if (!t->lean && (t->sleeps || t->spun_ns))
		describe(task, t, true);
	if (send_events && !t->user_stack)
		t->user_stack = user_stack(ctx, task, t, now);
	if (t->spun_ns)
		send_spin(task, t, t->spun_ns, now);
	if (!t->sleeps) {
		t->block_ns = 0;
		t->throttled = is_throttled(task);
		t->out_ns = now;
		return;
	}
	t->kernel_stack = t->lean ? 0 : kernel_stack(ctx, &t->object);
	t->block_ns = now;
}

static __always_inline void send_wait(struct task_struct *task, struct thread *t,
				      struct task_struct *before, __u64 now)
{
	struct pending *p = pending_waits();
	struct wait_event *e;

	if (!p)
		return;
	e = &p->batch.waits[p->batch.count & (BATCH_WAITS - 1)];
	identify(task, &e->thread);
	e->object = t->object;
	e->wake = t->wake;
	e->block_ns = t->block_ns;
	e->run_ns = now;
	e->user_stack = t->user_stack;
	e->kernel_stack = t->kernel_stack;
	name_occupant(before, t->wake.ns, now, &e->occupant, &e->occupied_ns);
	if (!p->batch.count)
		p->since_ns = now;
	if (++p->batch.count >= BATCH_WAITS || now - p->since_ns >= batch_ns)
		send_batch(p);
}

/*
 * For how long a thread must have wanted a CPU for that to be told. A turn of another lasts
 * milliseconds; a thread that calls sched_yield(2) in a loop leaves its CPU for microseconds
 * a million times a second.
 */
const volatile __u64 shortest_want_ns = 100000;

static __always_inline void send_preemption(struct task_struct *task, struct thread *t,
					    struct task_struct *before, __u64 now)
{
	struct preempt_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	e->type = EVENT_PREEMPTED;
	e->throttled = t->throttled;
	identify(task, &e->thread);
	e->out_ns = t->out_ns;
	e->run_ns = now;
	e->user_stack = t->user_stack;
	name_occupant(before, t->out_ns, now, &e->occupant, &e->occupied_ns);
	submit(e, sizeof(*e));
}

/*
 * One that was woken and then throttled is told as if it had run in between, and so is one
 * of which the wait itself is not told.
 */
static __always_inline void send_ended_wait(struct task_struct *task, struct thread *t,
					    struct task_struct *before, __u64 now)
{
	bool untold = t->lean && t->wake.ns - t->block_ns < lasting_ns;
	bool apart = (untold || t->throttled) && now - t->wake.ns >= shortest_want_ns;

	if (untold)
		leave_untold(t);
	else
		send_wait(task, t, before, apart ? t->wake.ns : now);
	if (!apart)
		return;
	t->out_ns = t->wake.ns;
	send_preemption(task, t, before, now);
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
	if (t->lean)
		__builtin_memset(&t->object, 0, sizeof(t->object));
	count_loss(LOSS_UNMATCHED_WAKE);
}

static __always_inline void enter(struct task_struct *task, struct thread *t, struct task_struct *before, __u64 now)
{
	if (t->block_ns) {
		settle_wake(t, now);
		add_to_totals(t, t->wake.ns);
		if (send_events)
			send_ended_wait(task, t, before, now);
		t->block_ns = 0;
	} else if (t->out_ns && send_events && now - t->out_ns >= shortest_want_ns) {
		send_preemption(task, t, before, now);
	}
	t->out_ns = 0;
	t->in_ns = now;
	if (t->kernel_lock)
		begin_spin(task, t, now);
}

#endif
