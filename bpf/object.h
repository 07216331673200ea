/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a thread that sleeps waits for, read from the user registers that its
 * system call saved. No system-call tracepoint is needed.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include "filelock.h"
#include "identity.h"
#include "state.h"
#include "syscalls.h"
#include "task.h"

static __always_inline bool takes_descriptor(enum call call)
{
	switch (call) {
	case CALL_READ: case CALL_WRITE: case CALL_RECEIVE: case CALL_SEND:
	case CALL_ACCEPT: case CALL_CONNECT: case CALL_FLOCK: case CALL_FCNTL: case CALL_SYNC:
		return true;
	default:
		return false;
	}
}

/* What does not change while a descriptor stands for the same open file. */
struct file_facts {
	__u64 file;
	__u64 inode;
	__u32 device;
	__u32 mode;
};

/* before is what the thread waited for last: mostly the same file. */
static __always_inline void describe_file(struct task_struct *task, struct object *o, const struct file_facts *before)
{
	struct fdtable *table = task->files->fdt;
	struct file **slots = table->fd, *file = NULL;
	__u32 descriptor = o->address;
	struct super_block *fs;
	struct inode *inode;

	if (descriptor >= table->max_fds)
		return;
	bpf_probe_read_kernel(&file, sizeof(file), slots + descriptor);
	if (!file)
		return;
	o->file = (__u64)file;
	if (o->call == CALL_FLOCK)
		o->words[2] = file_owner(file);
	inode = BPF_CORE_READ(file, f_inode);
	o->inode = BPF_CORE_READ(inode, i_ino);
	if (before->file == o->file && before->inode == o->inode) {
		o->device = before->device;
		o->mode = before->mode;
		return;
	}
	fs = BPF_CORE_READ(inode, i_sb);
	o->device = BPF_CORE_READ(fs, s_dev);
	/* The mode of the shared inode looks like a plain file's since 6.16. */
	if (BPF_CORE_READ(fs, s_magic) != ANON_INODE_FS_MAGIC)
		o->mode = BPF_CORE_READ(inode, i_mode);
}

/*
 * Whether glibc waits so for a mutex, which has an owner to be read: with the value 2,
 * with the waiters' bit if it is robust, or with priority inheritance.
 */
static __always_inline bool may_have_owner(const struct object *o)
{
	switch (o->op & FUTEX_CMD_MASK) {
	case FUTEX_OP_WAIT:
		return o->value == 2 || o->value & FUTEX_WAITERS;
	case FUTEX_OP_LOCK_PI:
	case FUTEX_OP_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

/* Only the thread itself can read its memory: in_context says that it is current. */
static __always_inline void describe_futex(struct task_struct *task, struct object *o, bool in_context)
{
	if (in_context && may_have_owner(o) && counts_as_collector(task) &&
	    !bpf_probe_read_user(o->words, sizeof(o->words), (void *)o->address))
		o->words_read = 1;
}

/*
 * With PREEMPT_RT a lock is a mutex that lends its owner the waiter's priority. One for
 * readers and writers contains such a mutex, which a writer has. What a writer waits for
 * that has it already is readers, of whom nobody knows.
 */
static __always_inline __u64 rt_owner(void *lock, __u32 flags)
{
	struct rwbase_rt *base = lock;
	struct rt_mutex_base *mutex = lock;

	__u64 owner = 0;

	if (flags & LCB_F_READ) {
		if (bpf_core_type_exists(struct rwbase_rt))
			owner = (__u64)BPF_CORE_READ(base, rtmutex.owner);
	} else if (!(flags & LCB_F_WRITE)) {
		if (bpf_core_type_exists(struct rt_mutex_base))
			owner = (__u64)BPF_CORE_READ(mutex, owner);
	}
	return owner & ~(__u64)RT_MUTEX_HAS_WAITERS;
}

/*
 * Who has the kernel lock, where the kernel keeps that: a mutex, and a semaphore that
 * is held for writing. It is handed over before the next owner runs, so it may be the
 * waiter itself.
 */
static __always_inline void describe_kernel_lock(struct object *o)
{
	void *lock = (void *)o->kernel_lock; /* or the access to o would be relocated, too */
	__u64 owner = 0;

	if (o->lock_flags & LCB_F_MUTEX) {
		if (bpf_core_field_exists(struct mutex, owner))
			owner = BPF_CORE_READ((struct mutex *)lock, owner.counter) & ~(__u64)MUTEX_FLAGS;
	} else if (o->lock_flags & LCB_F_RT) {
		owner = rt_owner(lock, o->lock_flags);
	} else if (!(o->lock_flags & LCB_F_PERCPU)) {
		if (bpf_core_field_exists(struct rw_semaphore, owner))
			owner = BPF_CORE_READ((struct rw_semaphore *)lock, owner.counter);
		owner = owner & RWSEM_READER_OWNED ? 0 : owner & ~(__u64)RWSEM_FLAGS;
	}
	o->words[2] = owner ? tid_at((struct task_struct *)owner) : 0;
}

/* struct futex_waitv: a 64-bit value, then the 64-bit address. */
static __always_inline void describe_futex_vector(struct object *o, bool in_context)
{
	__u64 address = 0;

	if (in_context && !bpf_probe_read_user(&address, sizeof(address), (void *)o->address + 8))
		o->address = address;
}

/* Who has what an open wait is for may have changed since it began. */
static __always_inline void describe_owner(struct object *o)
{
	if (o->kernel_lock)
		describe_kernel_lock(o);
	else if (o->call == CALL_FLOCK)
		o->words[2] = file_owner((struct file *)o->file);
}

/* The beginning of struct flock (include/uapi/asm-generic/fcntl.h). */
struct file_range {
	__s16 type;
	__s16 whence;
	__s32 pad;
	__s64 start;
};

/* Where in the file a lock is asked for, of which there may be many. */
static __always_inline void describe_range(struct object *o, __u64 lock)
{
	struct file_range range;

	o->address = 0;
	if (!bpf_probe_read_user(&range, sizeof(range), (void *)lock) && !range.whence)
		o->address = range.start;
}

static __always_inline void describe(struct task_struct *task, struct thread *t, bool in_context)
{
	struct pt_regs *regs = saved_registers(task);
	struct object *o = &t->object;
	struct file_facts before = { o->file, o->inode, o->device, o->mode };
	enum call call;

	call = current_call(task, regs);
	/* A restarted call has lost its arguments: it waits for what it waited for. */
	if (call != CALL_RESTART || !o->call) {
		__builtin_memset(o, 0, sizeof(*o));
		o->call = call;
	}
	o->kernel_lock = t->kernel_lock;
	o->lock_flags = t->lock_flags;
	if (o->kernel_lock)
		describe_kernel_lock(o);
	if (call == CALL_RESTART)
		return;
	if (call == CALL_OTHER || call == CALL_FAULT)
		return;
	o->address = regs_arg0(regs);
	/* futex_wait(address, value, mask, flags): the flag PRIVATE is the same bit. */
	if (regs_syscall(regs) == NR_FUTEX_WAIT) {
		o->op = regs_arg3(regs);
		o->value = regs_arg1(regs);
	} else {
		o->op = regs_arg1(regs);
		o->value = regs_arg2(regs);
	}
	if (call == CALL_FUTEX_WAIT)
		describe_futex(task, o, in_context);
	else if (call == CALL_FUTEX_WAITV)
		describe_futex_vector(o, in_context);
	else if (takes_descriptor(call))
		describe_file(task, o, &before);
	if (call == CALL_FCNTL && in_context)
		describe_range(o, regs_arg2(regs));
}

#endif
