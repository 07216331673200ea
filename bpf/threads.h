/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Where what is kept of a thread is found. A thread is watched when there is a struct
 * thread of it. It dies with the task, so nothing here is keyed by a tid that could be
 * given out again.
 */
#ifndef THREADS_H
#define THREADS_H

#include "state.h"

#ifdef BEFORE_5_15

/*
 * Programs like these have had task storage since 5.13 (commit a10787e6d58c). Before, a
 * thread is found by the address of its task, which is given up when the task is freed.
 * Whoever adds one is in a read section of RCU, for whose end the freeing waits, and saw
 * the task alive there: none is added too late.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct thread);
} threads SEC(".maps");

static const struct thread fresh;

static __always_inline struct thread *watched(struct task_struct *task)
{
	__u64 key = (__u64)task;

	return bpf_map_lookup_elem(&threads, &key);
}

static __always_inline struct thread *watch(struct task_struct *task)
{
	__u64 key = (__u64)task;

	if (bpf_map_update_elem(&threads, &key, &fresh, BPF_NOEXIST))
		count_loss(LOSS_MAP_FULL);
	return bpf_map_lookup_elem(&threads, &key);
}

static __always_inline void forget(struct task_struct *task)
{
	__u64 key = (__u64)task;

	bpf_map_delete_elem(&threads, &key);
}

#else

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

static __always_inline struct thread *watched(struct task_struct *task)
{
	if (field(task, flags) & PF_KTHREAD) /* none is, and it is the idle one every other time */
		return NULL;
	return bpf_task_storage_get(&threads, task, NULL, 0);
}

static __always_inline struct thread *watch(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		count_loss(LOSS_MAP_FULL);
	return t;
}

#endif

#endif
