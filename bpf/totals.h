/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a thread's waiting comes to, since it was last read. */
#ifndef TOTALS_H
#define TOTALS_H

#include "identity.h"
#include "object.h"
#include "state.h"
#include "syscalls.h"
#include "task.h"

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
 * For its stack to be walked now, if the thread began to sleep before it was watched, or when
 * rules were missing.
 */
static __always_inline void fill_cursor(struct cursor *at, struct task_struct *task, const struct thread *t)
{
	struct pt_regs *regs;

	__builtin_memset(at, 0, sizeof(*at));
	if (!t->block_ns || task->flags & PF_KTHREAD)
		return;
	regs = saved_registers(task);
	at->pc = regs_pc(regs);
	at->sp = regs_sp(regs);
	at->fp = regs_fp(regs);
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
	out->untold = t->untold;
	out->untold_ns = t->untold_ns;
	out->out_ns = t->out_ns;
	out->open_ns = t->block_ns;
	out->user_stack = t->user_stack;
	out->kernel_stack = t->kernel_stack;
	fill_cursor(&out->at, task, t);
	out->object = t->object;
	if (t->block_ns)
		describe_owner(&out->object);
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

static __always_inline void restart_totals(struct thread *t, __u64 now)
{
	t->since_ns = now;
	t->waits = 0;
	t->untold = 0;
	t->untold_ns = 0;
	t->blocked_ns = 0;
	t->longest_ns = 0;
	t->longest_stack = 0;
}

#endif
