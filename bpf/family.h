/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which tasks are watched: those of the target, or all. */
#ifndef FAMILY_H
#define FAMILY_H

#include "identity.h"
#include "threads.h"

static __always_inline bool inherits(struct task_struct *parent, struct task_struct *child)
{
	if (!target_tgid)
		return !(child->flags & PF_KTHREAD) && tgid_of(child) != own_tgid;
	return watched(parent) && (with_children || parent->tgid == child->tgid);
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

#endif
