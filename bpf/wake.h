/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Who lets a thread go, and in what context. */
#ifndef WAKE_H
#define WAKE_H

#include "identity.h"
#include "interrupt.h"
#include "object.h"
#include "shed.h"
#include "stack.h"
#include "state.h"
#include "syscalls.h"
#include "task.h"
#include "threads.h"
#include "unwind.h"

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

static __always_inline void note_wake(void *ctx, struct task_struct *task, struct thread *t)
{
	struct task_struct *waker;
	struct pt_regs *regs;
	__u64 now = bpf_ktime_get_ns();

	/* The first wake-up of a sleep is the one that ends it. */
	if (t->block_ns && t->wake.ns >= t->block_ns)
		return;
	t->wake.stack = 0;
	t->wake.address = 0;
	t->wake.call = CALL_OTHER;
	if (t->lean && t->block_ns) {
		if (now - t->block_ns < lasting_ns && sheds(now)) {
			t->wake.kind = WAKE_UNSEEN;
			t->throttled = in_throttled_queue(task);
			t->wake.ns = now;
			return;
		}
		describe(task, t, false);
		t->lean = false;
	}
	waker = current_task();
	if (field(waker, flags) & PF_KTHREAD) {
		t->wake.kind = field(waker, pid) && !off_task_stack(waker) ? WAKE_KERNEL : WAKE_INTERRUPT;
	} else {
		regs = saved_registers(waker);
		t->wake.call = current_call(waker, regs);
		t->wake.address = regs_arg0(regs);
		t->wake.kind = in_interrupt(waker, t->wake.call, &t->object) ? WAKE_INTERRUPT : WAKE_THREAD;
	}
	if (t->wake.kind == WAKE_INTERRUPT)
		__builtin_memset(&t->wake.by, 0, sizeof(t->wake.by));
	else
		identify(waker, &t->wake.by);
	if (t->wake.kind == WAKE_THREAD && t->wake.by.tgid != own_tgid && send_events && t->block_ns &&
	    now - t->block_ns >= brief_ns)
		t->wake.stack = user_stack(ctx, waker, watched(waker), now);
	t->throttled = in_throttled_queue(task);
	t->wake.ns = now; /* last: from here on the wake-up counts */
}

#endif
