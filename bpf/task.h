/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How to read a task, and the registers that it has saved. The verifier lets a pointer
 * be followed if it knows what it points to. Before 5.11 (commit 3ca1032ab7ab) it does
 * not know that of the current task, nor before 5.15 (commit dd6e10fbd9fb) of a task's
 * registers: there a helper reads, which costs more.
 */
#ifndef TASK_H
#define TASK_H

#include "kernel.h"

#ifdef BEFORE_5_15

#define field(pointer, member) BPF_CORE_READ(pointer, member)

static __always_inline struct task_struct *current_task(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

/* At the end of its stack. */
static __always_inline struct pt_regs *saved_registers(struct task_struct *task)
{
	return field(task, stack) + THREAD_SIZE - bpf_core_type_size(struct pt_regs);
}

#else

#define field(pointer, member) ((pointer)->member)

static __always_inline struct task_struct *current_task(void)
{
	return bpf_get_current_task_btf();
}

static __always_inline struct pt_regs *saved_registers(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

#endif

#endif
