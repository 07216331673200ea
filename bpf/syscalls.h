/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Saved user registers and system call numbers, the two things that differ between
 * architectures.
 */
#ifndef SYSCALLS_H
#define SYSCALLS_H

#include "events.h"
#include "task.h"

#if defined(__TARGET_ARCH_x86)

enum {
	NR_READ = 0, NR_WRITE = 1, NR_POLL = 7, NR_PREAD64 = 17, NR_PWRITE64 = 18,
	NR_READV = 19, NR_WRITEV = 20, NR_SELECT = 23, NR_PAUSE = 34, NR_NANOSLEEP = 35,
	NR_CONNECT = 42, NR_ACCEPT = 43, NR_SENDTO = 44, NR_RECVFROM = 45, NR_SENDMSG = 46,
	NR_RECVMSG = 47, NR_WAIT4 = 61, NR_FCNTL = 72, NR_FLOCK = 73, NR_FSYNC = 74,
	NR_FDATASYNC = 75, NR_RT_SIGTIMEDWAIT = 128, NR_RT_SIGSUSPEND = 130,
	NR_FUTEX = 202, NR_RESTART_SYSCALL = 219, NR_CLOCK_NANOSLEEP = 230,
	NR_EPOLL_WAIT = 232, NR_WAITID = 247, NR_PSELECT6 = 270, NR_PPOLL = 271,
	NR_EPOLL_PWAIT = 281, NR_ACCEPT4 = 288, NR_PREADV = 295, NR_PWRITEV = 296,
	NR_EPOLL_PWAIT2 = 441, NR_FUTEX_WAITV = 449, NR_FUTEX_WAKE = 454,
	NR_FUTEX_WAIT = 455, NR_FUTEX_REQUEUE = 456,
};

#define regs_syscall(r) ((__s64)field(r, orig_ax))
#define regs_arg0(r) field(r, di)
#define regs_arg1(r) field(r, si)
#define regs_arg2(r) field(r, dx)
#define regs_arg3(r) field(r, r10)
#define regs_pc(r) field(r, ip)
#define regs_sp(r) field(r, sp)
#define regs_fp(r) field(r, bp)

/* What a function keeps for its caller. */
#define kept_registers(r) \
	mix(mix(mix(regs_fp(r), field(r, bx)), mix(field(r, r12), field(r, r13))), mix(field(r, r14), field(r, r15)))

/* A 32-bit call has the numbers of another table. */
#define foreign_call(task) (field(task, thread_info.status) & TS_COMPAT)

#elif defined(__TARGET_ARCH_arm64)

enum {
	NR_FCNTL = 25, NR_FLOCK = 32, NR_READ = 63, NR_WRITE = 64, NR_READV = 65,
	NR_WRITEV = 66, NR_PREAD64 = 67, NR_PWRITE64 = 68, NR_PREADV = 69, NR_PWRITEV = 70,
	NR_PSELECT6 = 72, NR_PPOLL = 73, NR_FSYNC = 82, NR_FDATASYNC = 83, NR_WAITID = 95,
	NR_FUTEX = 98, NR_NANOSLEEP = 101, NR_CLOCK_NANOSLEEP = 115,
	NR_RESTART_SYSCALL = 128, NR_RT_SIGSUSPEND = 133, NR_RT_SIGTIMEDWAIT = 137,
	NR_ACCEPT = 202, NR_CONNECT = 203, NR_SENDTO = 206, NR_RECVFROM = 207,
	NR_SENDMSG = 211, NR_RECVMSG = 212, NR_ACCEPT4 = 242, NR_WAIT4 = 260,
	NR_EPOLL_PWAIT = 22, NR_EPOLL_PWAIT2 = 441, NR_FUTEX_WAITV = 449,
	NR_FUTEX_WAKE = 454, NR_FUTEX_WAIT = 455, NR_FUTEX_REQUEUE = 456,
	/* Calls of x86 that this architecture never had. */
	NR_POLL = -2, NR_SELECT = -3, NR_PAUSE = -4, NR_EPOLL_WAIT = -5,
};

#define regs_syscall(r) ((__s64)field(r, syscallno))
#define regs_arg0(r) field(r, orig_x0)
#define regs_arg1(r) field(r, regs[1])
#define regs_arg2(r) field(r, regs[2])
#define regs_arg3(r) field(r, regs[3])
#define regs_pc(r) field(r, pc)
#define regs_sp(r) field(r, sp)
#define regs_fp(r) field(r, regs[29])
#define kept_registers(r) \
	mix(mix(mix(regs_fp(r), field(r, regs[19])), mix(field(r, regs[20]), field(r, regs[21]))), field(r, regs[22]))

#define foreign_call(task) 0

#endif

enum {
	FUTEX_CMD_MASK = 127, /* without the flags PRIVATE and CLOCK_REALTIME */
	FUTEX_WAITERS = 1 << 31, /* in a futex word: somebody sleeps */
	FUTEX_OP_WAIT = 0,
	FUTEX_OP_WAKE_OP = 5,
	FUTEX_OP_LOCK_PI = 6,
	FUTEX_OP_WAIT_BITSET = 9,
	FUTEX_OP_WAIT_REQUEUE_PI = 11,
	FUTEX_OP_LOCK_PI2 = 13,
};

static __always_inline enum call futex_call(__u32 op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_OP_WAIT:
	case FUTEX_OP_WAIT_BITSET:
	case FUTEX_OP_LOCK_PI:
	case FUTEX_OP_LOCK_PI2:
	case FUTEX_OP_WAIT_REQUEUE_PI:
		return CALL_FUTEX_WAIT;
	case FUTEX_OP_WAKE_OP:
		return CALL_OTHER; /* it wakes at two addresses: by which is not known */
	default:
		return CALL_FUTEX_WAKE;
	}
}

static __always_inline enum call call_of(__s64 nr, __u32 arg1)
{
	switch ((__s32)nr) {
	case NR_FUTEX: return futex_call(arg1);
	case NR_FUTEX_WAIT: return CALL_FUTEX_WAIT;
	case NR_FUTEX_WAKE: case NR_FUTEX_REQUEUE: return CALL_FUTEX_WAKE;
	case NR_FUTEX_WAITV: return CALL_FUTEX_WAITV;
	case NR_READ: case NR_READV: case NR_PREAD64: case NR_PREADV: return CALL_READ;
	case NR_WRITE: case NR_WRITEV: case NR_PWRITE64: case NR_PWRITEV: return CALL_WRITE;
	case NR_RECVFROM: case NR_RECVMSG: return CALL_RECEIVE;
	case NR_SENDTO: case NR_SENDMSG: return CALL_SEND;
	case NR_ACCEPT: case NR_ACCEPT4: return CALL_ACCEPT;
	case NR_CONNECT: return CALL_CONNECT;
	case NR_POLL: case NR_PPOLL: case NR_SELECT: case NR_PSELECT6:
	case NR_EPOLL_WAIT: case NR_EPOLL_PWAIT: case NR_EPOLL_PWAIT2: return CALL_POLL;
	case NR_NANOSLEEP: case NR_CLOCK_NANOSLEEP: return CALL_SLEEP;
	case NR_FLOCK: return CALL_FLOCK;
	case NR_FCNTL: return CALL_FCNTL;
	case NR_FSYNC: case NR_FDATASYNC: return CALL_SYNC;
	case NR_WAIT4: case NR_WAITID: return CALL_CHILD;
	case NR_PAUSE: case NR_RT_SIGSUSPEND: case NR_RT_SIGTIMEDWAIT: return CALL_SIGNAL;
	case NR_RESTART_SYSCALL: return CALL_RESTART;
	default: return nr < 0 ? CALL_FAULT : CALL_OTHER;
	}
}

static __always_inline enum call current_call(struct task_struct *task, struct pt_regs *regs)
{
	if (field(task, flags) & PF_KTHREAD || foreign_call(task))
		return CALL_OTHER;
	return call_of(regs_syscall(regs), regs_arg1(regs));
}

#endif
