/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Who a task is, in the pid namespace of the collector. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "state.h"
#include "task.h"

enum { MAX_PIDNS_LEVELS = 8 };

/* The number of pid in the collector's namespace, 0 if it has none there. */
static __noinline __u32 namespaced(struct pid *pid)
{
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < MAX_PIDNS_LEVELS && i <= level; i++) {
		barrier_var(level); /* else the two tests become one, from which the verifier learns no bound */
		struct upid *upid = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				    i * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(upid, ns, ns.inum) == pidns_inum)
			return BPF_CORE_READ(upid, nr);
	}
	return 0;
}

static __always_inline __u32 tid_of(struct task_struct *task)
{
	return pidns_inum ? namespaced(field(task, thread_pid)) : field(task, pid);
}

static __always_inline __u32 tgid_of(struct task_struct *task)
{
	return pidns_inum ? namespaced(BPF_CORE_READ(task, group_leader, thread_pid)) : field(task, tgid);
}

/*
 * Whether task counts tids as the collector does. A task in a namespace below has
 * others, and what it writes into its memory means nothing here.
 */
static __always_inline bool counts_as_collector(struct task_struct *task)
{
	struct pid *pid = task->thread_pid;
	__u32 level = pid->level;
	struct upid *innermost;

	if (!pidns_inum)
		return !level;
	innermost = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
		    level * bpf_core_type_size(struct upid);
	return BPF_CORE_READ(innermost, ns, ns.inum) == pidns_inum;
}

/* The same of a task at an address that is not known to be one. */
static __always_inline __u32 tid_at(struct task_struct *task)
{
	return pidns_inum ? namespaced(BPF_CORE_READ(task, thread_pid)) : BPF_CORE_READ(task, pid);
}

static __always_inline void identify(struct task_struct *task, struct task_id *id)
{
	id->start_ns = field(task, start_boottime);
	id->tid = tid_of(task);
	id->tgid = tgid_of(task);
}

static __always_inline __u32 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return BPF_CORE_READ((struct task_struct___before_5_14 *)task, state);
}

/* Since 7.2 it is a byte, with others behind it that are not to be read. */
static __always_inline bool is_on_cpu(struct task_struct *task)
{
	__u32 on_cpu = 0;

	bpf_probe_read_kernel(&on_cpu, bpf_core_field_size(task->on_cpu), &task->on_cpu);
	return on_cpu;
}

/*
 * Whether a task is to have no CPU because the quota of its group is used up. Since 6.18
 * the fair scheduler's bandwidth control stops a task when it would return to user mode,
 * and one that is woken runs until then. Before, it took the whole queue that the task is
 * in from its CPU, and whoever was woken into that stayed there.
 */
static __always_inline bool throttles_tasks(void)
{
	return bpf_core_field_exists(struct task_struct___since_6_18, throttled);
}

static __always_inline bool in_throttled_queue(struct task_struct *task)
{
	if (throttles_tasks() || !bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(struct cfs_rq, throttle_count))
		return false;
	return task->se.cfs_rq->throttle_count > 0;
}

static __always_inline bool is_throttled(struct task_struct *task)
{
	if (throttles_tasks())
		return BPF_CORE_READ((struct task_struct___since_6_18 *)task, throttled);
	return in_throttled_queue(task);
}

#endif
