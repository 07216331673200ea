/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Who had a CPU that a thread wanted. The task that ran just before is often another than
 * the one that ran all the time: kernel threads come in between for microseconds. So the
 * last long runs on each CPU are kept.
 */
#ifndef OCCUPANT_H
#define OCCUPANT_H

#include "identity.h"
#include "state.h"

enum {
	LONG_RUNS = 8,      /* a power of two */
	RT_PRIORITIES = 100, /* MAX_RT_PRIO: what is below is no task of the fair scheduler */
};

/* Shorter ones are not kept: a thread is rarely kept waiting by these for long. */
const volatile __u64 long_run_ns = 500000;

struct run {
	struct task_id task;
	__u64 ns;
	__u64 end_ns;
};

struct runs {
	__u64 next;
	__u64 rt_since_ns; /* when the real-time task that has this CPU, or had it last, got it */
	struct run run[LONG_RUNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct runs);
} runs SEC(".maps");

static __always_inline struct runs *cpu_runs(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&runs, &zero);
}

static __always_inline bool is_real_time(const struct task_struct *task)
{
	return task->prio < RT_PRIORITIES;
}

/*
 * Notes for how long prev has had the CPU that it leaves for next. The fair scheduler
 * keeps what a task had run in all when it was picked; the others do not. The cheap tests
 * come first: most runs are short, and of the fair scheduler.
 */
static __always_inline void note_run(struct task_struct *prev, struct task_struct *next)
{
	__u64 ns = prev->se.sum_exec_runtime - prev->se.prev_sum_exec_runtime, now;
	struct runs *r;
	struct run *run;

	if (ns < long_run_ns && !is_real_time(next))
		return;
	r = cpu_runs();
	if (!r)
		return;
	now = bpf_ktime_get_ns();
	if (is_real_time(prev))
		ns = now - r->rt_since_ns;
	if (is_real_time(next))
		r->rt_since_ns = now;
	if (ns < long_run_ns)
		return;
	run = &r->run[r->next++ & (LONG_RUNS - 1)];
	identify(prev, &run->task);
	run->ns = ns;
	run->end_ns = now;
}

static __always_inline __u64 overlap(const struct run *run, __u64 from, __u64 to)
{
	__u64 begin = run->end_ns - run->ns, end = run->end_ns < to ? run->end_ns : to;

	if (begin < from)
		begin = from;
	return end > begin ? end - begin : 0;
}

/* The task that ran the longest on this CPU between two instants; tid 0: none did for long. */
static __noinline void find_occupant(struct runs *r, __u64 from, __u64 to, struct task_id *occupant, __u64 *occupied_ns)
{
	if (!r || !occupant || !occupied_ns)
		return;
	for (__u32 i = 0; i < LONG_RUNS; i++) {
		__u64 sum = 0;

		for (__u32 j = 0; j < LONG_RUNS; j++)
			if (r->run[j].task.start_ns == r->run[i].task.start_ns && r->run[j].task.tid == r->run[i].task.tid)
				sum += overlap(&r->run[j], from, to);
		if (sum > *occupied_ns) {
			*occupied_ns = sum;
			*occupant = r->run[i].task;
		}
	}
}

/*
 * Who had the CPU that a thread wanted since an instant and has now, and for how long. In
 * a short time it was the task that ran before.
 */
static __always_inline void name_occupant(struct task_struct *before, __u64 from, __u64 now,
					  struct task_id *occupant, __u64 *occupied_ns)
{
	if (now - from < long_run_ns) {
		identify(before, occupant);
		*occupied_ns = before->se.sum_exec_runtime - before->se.prev_sum_exec_runtime;
		return;
	}
	__builtin_memset(occupant, 0, sizeof(*occupant));
	*occupied_ns = 0;
	find_occupant(cpu_runs(), from, now, occupant, occupied_ns);
}

#endif
