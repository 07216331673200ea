/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Waiting for a kernel lock that no switch shows: a thread that wants a mutex spins while
 * the thread that has it runs, before it sleeps and when it has been woken. Each time of
 * spinning is told as a wait, that nobody ends.
 *
 * Not to be seen is a thread that spins for an rwsem before it sleeps: the kernel does so
 * before it calls contention_begin.
 */
#ifndef SPIN_H
#define SPIN_H

#include "identity.h"
#include "object.h"
#include "stack.h"
#include "state.h"
#include "unwind.h"

/* For how long a thread must have spun for that to be told: less is what a lock costs. */
const volatile __u64 shortest_spin_ns = 20000;

/*
 * Notes that a watched thread that has a CPU wants a kernel lock, from an instant on and
 * until it leaves it. Who has the lock is read now: at the end it is the thread itself. So
 * it is before that, if the lock was handed over to it while it slept.
 */
static __always_inline void begin_spin(struct task_struct *task, struct thread *t, __u64 now)
{
	struct object o = { .kernel_lock = t->kernel_lock, .lock_flags = t->lock_flags };

	if (!send_events)
		return;
	describe_kernel_lock(&o);
	if (o.words[2] && o.words[2] == tid_of(task))
		return;
	t->spin_owner = o.words[2];
	t->spin_ns = now;
}

/*
 * The thread sleeps, has lost its CPU, or has the lock. Returns since when it has spun, 0
 * if that is not worth telling.
 */
static __always_inline __u64 end_spin(struct thread *t, __u64 now)
{
	__u64 begin = t->spin_ns;

	t->spin_ns = 0;
	return begin && now - begin >= shortest_spin_ns ? begin : 0;
}

/* What the thread wants and where it is have been noted. */
static __always_inline void send_spin(struct task_struct *task, const struct thread *t, __u64 begin, __u64 now)
{
	const __u32 size = __builtin_offsetof(struct wait_batch, waits) + sizeof(struct wait_event);
	struct wait_batch *b = bpf_ringbuf_reserve(&events, size, 0);
	struct wait_event *e;

	if (!b) {
		count_loss(LOSS_RING_FULL);
		return;
	}
	b->type = EVENT_WAITS;
	b->count = 1;
	e = &b->waits[0];
	__builtin_memset(e, 0, sizeof(*e));
	identify(task, &e->thread);
	e->object = t->object;
	e->object.words[2] = t->spin_owner;
	e->block_ns = begin;
	e->wake.ns = now;
	e->run_ns = now;
	e->user_stack = t->user_stack;
	submit(b, size);
}

/* The current thread has got the lock while it spun. */
static __always_inline void finish_spin(void *ctx, struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 begin = end_spin(t, now);

	if (!begin)
		return;
	describe(task, t, true);
	t->user_stack = user_stack(ctx, task, t, now);
	send_spin(task, t, begin, now);
}

#endif
