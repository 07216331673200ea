/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The kernel's types, as far as these programs read them. Offsets are relocated
 * against the running kernel's BTF (CO-RE), so only names and types matter here,
 * and no vmlinux.h is needed. A flavour, named struct___since, stands for a form
 * that only some kernels have.
 */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

enum { false, true };

#define NULL ((void *)0)

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_NOEXIST = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_PROD_POS = 3,
	BPF_F_USER_STACK = 1 << 8,
};

enum {
	TASK_COMM_LEN = 16,
	PF_EXITING = 0x00000004,
	PF_KTHREAD = 0x00200000,
	TASK_DEAD = 0x80,
	THREAD_SIZE = 16384, /* x86-64, and arm64 with pages of 4 KiB */
	TS_COMPAT = 2, /* x86: the task is in a 32-bit system call */
	ANON_INODE_FS_MAGIC = 0x09041934,
	/* Flags of contention_begin. */
	LCB_F_SPIN = 1, /* the waiter spins and does not sleep */
	LCB_F_READ = 2,
	LCB_F_WRITE = 4,
	LCB_F_RT = 8,
	LCB_F_PERCPU = 16,
	LCB_F_MUTEX = 32,
	/* What the low bits of an owner are not: its address. */
	MUTEX_FLAGS = 7,
	RWSEM_READER_OWNED = 1,
	RWSEM_FLAGS = 3,
	RT_MUTEX_HAS_WAITERS = 1,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	__u16 i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

struct file_lock_core {
	unsigned char flc_type;
};

struct file_lock {
	struct file_lock_core c;
};

/* Before 6.9 (commit 4ca52f539865) a lock had no part in common with leases. */
struct file_lock___before_6_9 {
	unsigned char fl_type;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct thread_info {
	__u32 status;
};

typedef struct {
	long counter;
} atomic_long_t;

/* With CONFIG_PREEMPT_RT both are made of what has another kind of owner. */
struct mutex {
	atomic_long_t owner;
};

struct rw_semaphore {
	atomic_long_t owner;
};

/* Since 5.15 (commit 830e6acc8a1c), before contention_begin. */
struct rt_mutex_base {
	struct task_struct *owner;
};

struct rwbase_rt {
	struct rt_mutex_base rtmutex; /* of a writer, until it is done */
};

struct mm_struct {
	struct file *exe_file;
	unsigned long exec_vm;
	unsigned long start_stack;
};

/* With CONFIG_CFS_BANDWIDTH. */
struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	void *stack;
	unsigned int flags;
	int on_cpu;
	int prio;
	struct sched_entity se;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	__u64 start_boottime;
	char comm[TASK_COMM_LEN];
	struct files_struct *files;
	struct mm_struct *mm;
};

/* From 6.18 on ("Switch to task based throttle model") a throttled group loses its tasks one by one. */
struct task_struct___since_6_18 {
	bool throttled;
};

/* Before 5.14 (commit 2f064a59a11f) the state was a long of another name. */
struct task_struct___before_5_14 {
	long state;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r10, dx, si, di, orig_ax, ip, sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
struct pt_regs {
	union {
		struct user_pt_regs user_regs;
		struct {
			__u64 regs[31];
			__u64 sp, pc, pstate;
		};
	};
	__u64 orig_x0;
	__s32 syscallno;
};
#else
#error "this architecture is not known: add its registers and system calls"
#endif

struct seq_file {
	void *private;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
