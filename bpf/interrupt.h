/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Whether a program was called from an interrupt that came while the kernel ran. It then
 * runs on a stack other than the current task's, which reaches from its lowest address up
 * to the registers that were saved on it first.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include "task.h"

#ifdef BEFORE_5_15

/* The helper makes a number of what the verifier takes for a pointer. */
static __always_inline __u64 stack_pointer(void)
{
	void *volatile here = (void *)&here;
	__u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), (void *)&here);
	return address;
}

static __noinline bool off_task_stack(struct task_struct *current)
{
	__u64 here = stack_pointer();

	return here < (__u64)field(current, stack) || here >= (__u64)saved_registers(current);
}

#else

/* How far the program's own stack lies above what pointer points to. */
#define stack_above(pointer)                                                              \
	({                                                                                \
		__s64 distance;                                                           \
		/* The verifier lets no pointer be subtracted from another in C. */       \
		asm volatile("%0 = r10\n%0 -= %1" : "=&r"(distance) : "r"(pointer));      \
		distance;                                                                 \
	})

/* Its own stack must stay under 64 bytes, beyond which it would be given one apart. */
static __noinline bool off_task_stack(struct task_struct *current)
{
	struct pt_regs *regs;
	__s64 above;

	if (!current)
		return true;
	regs = saved_registers(current);
	above = stack_above(current) + (__s64)bpf_get_current_task() - (__s64)current->stack;
	return above < 0 || stack_above(regs) >= 0;
}

#endif

#endif
