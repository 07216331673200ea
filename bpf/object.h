/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What a thread that sleeps waits for, read from the user registers that its
 * system call saved. No system-call tracepoint is needed.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include "state.h"
#include "syscalls.h"

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

static __always_inline void describe_file(struct task_struct *task, struct object *o)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **slots = BPF_CORE_READ(table, fd), *file = NULL;
	struct inode *inode;

	if (o->address >= BPF_CORE_READ(table, max_fds))
		return;
	bpf_probe_read_kernel(&file, sizeof(file), slots + o->address);
	if (!file)
		return;
	o->file = (__u64)file;
	inode = BPF_CORE_READ(file, f_inode);
	o->inode = BPF_CORE_READ(inode, i_ino);
	o->mode = BPF_CORE_READ(inode, i_mode);
	o->device = BPF_CORE_READ(inode, i_sb, s_dev);
}

/* Only the thread itself can read its memory: in_context says that it is current. */
static __always_inline void describe_futex(struct object *o, bool in_context)
{
	if (in_context && !bpf_probe_read_user(o->words, sizeof(o->words), (void *)o->address))
		o->words_read = 1;
}

/* struct futex_waitv: a 64-bit value, then the 64-bit address. */
static __always_inline void describe_futex_vector(struct object *o, bool in_context)
{
	__u64 address = 0;

	if (in_context && !bpf_probe_read_user(&address, sizeof(address), (void *)o->address + 8))
		o->address = address;
}

static __always_inline void describe(struct task_struct *task, struct thread *t, bool in_context)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct object *o = &t->object;
	enum call call;

	if (task->flags & PF_KTHREAD || foreign_call(task))
		call = CALL_OTHER;
	else
		call = call_of(regs_syscall(regs), regs_arg1(regs));
	/* A restarted call has lost its arguments: it waits for what it waited for. */
	if (call == CALL_RESTART && o->call)
		return;

	__builtin_memset(o, 0, sizeof(*o));
	o->call = call;
	o->kernel_lock = t->kernel_lock;
	o->lock_flags = t->lock_flags;
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
		describe_futex(o, in_context);
	else if (call == CALL_FUTEX_WAITV)
		describe_futex_vector(o, in_context);
	else if (takes_descriptor(call))
		describe_file(task, o);
}

#endif
