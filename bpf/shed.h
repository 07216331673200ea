/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What is left out in a storm of waits. Time is divided into periods, the same for all
 * CPUs. In the first part of each all waits are told. In the rest of it only those are that
 * last; of the others it is counted how many they are and how long they take in all.
 */
#ifndef SHED_H
#define SHED_H

#include "memo.h"
#include "state.h"
#include "syscalls.h"

const volatile __u64 shed_period_ns = 1 << 26; /* a power of two */
const volatile __u64 lasting_ns = 1000000;      /* how long a wait is that is told in any case */

/* How much of each period all waits are told; 0: nothing is left out. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} told SEC(".maps");

static __always_inline bool sheds(__u64 now)
{
	__u32 zero = 0;
	__u64 *ns = bpf_map_lookup_elem(&told, &zero);

	return ns && *ns && (now & (shed_period_ns - 1)) >= *ns;
}

/*
 * The stack that was found when the thread was last in the same place, 0 if none was. The
 * way there may have been another.
 */
static __always_inline __u64 stack_from_here(struct task_struct *task, struct thread *t)
{
	struct pt_regs *regs = saved_registers(task);
	__u64 pc = regs_pc(regs), sp = regs_sp(regs);
	struct memo *m = memo_of(t, pc, sp);

	return m->pc == pc && m->sp == sp ? m->stack : 0;
}

/* Counts the wait that has ended as one that is not told. */
static __always_inline void leave_untold(struct thread *t)
{
	__u64 begin = t->block_ns > t->since_ns ? t->block_ns : t->since_ns;

	t->untold++;
	if (t->wake.ns > begin)
		t->untold_ns += t->wake.ns - begin;
}

#endif
