/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What crosses to user space. Go's types are generated from these (bpf2go -type).
 * Times are CLOCK_MONOTONIC but for start_ns, which is CLOCK_BOOTTIME. Tids are
 * those of the collector's pid namespace.
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "kernel.h"

enum event_type {
	EVENT_WAITS = 1, /* struct wait_batch: waits have ended and their threads run */
	EVENT_PREEMPTED, /* struct preempt_event: a thread that wanted a CPU has one */
	EVENT_SAMPLE,    /* struct sample_event: a thread was found on a CPU */
	EVENT_EXIT,      /* struct thread_totals: a thread is gone */
	EVENT_EXEC,      /* struct exec_event: a process has become another program */
};

/* The system call a thread is in, as far as it tells what is waited for. */
enum call {
	CALL_OTHER,
	CALL_FAULT, /* none: a page fault or other exception */
	CALL_FUTEX_WAIT,
	CALL_FUTEX_WAKE, /* and every other futex operation */
	CALL_FUTEX_WAITV,
	CALL_READ,
	CALL_WRITE,
	CALL_RECEIVE,
	CALL_SEND,
	CALL_ACCEPT,
	CALL_CONNECT,
	CALL_POLL,
	CALL_SLEEP,
	CALL_FLOCK,
	CALL_FCNTL,
	CALL_SYNC,
	CALL_CHILD,
	CALL_SIGNAL,
	CALL_RESTART, /* of the call before */
};

enum wake_kind {
	WAKE_UNSEEN,
	WAKE_THREAD,
	WAKE_INTERRUPT, /* the current task did not do it */
	WAKE_KERNEL,    /* a kernel thread */
};

enum loss {
	LOSS_RING_FULL,
	LOSS_MAP_FULL,
	LOSS_STACK_INCOMPLETE,
	LOSS_UNMATCHED_WAKE,
	LOSS_STACK_MISS, /* a rule was missing: nothing is lost if a copy was sent */
	LOSS_CAUSES,
};

/*
 * A thread's name is told with its totals only: it would be a quarter of every event.
 */
struct task_id {
	__u64 start_ns;
	__u32 tid;
	__u32 tgid;
};

/* What a thread waits for. */
struct object {
	__u64 address;     /* futex word, where a file is to be locked, or argument 0 of the call */
	__u64 kernel_lock; /* 0: none */
	__u64 file;        /* of the descriptor in argument 0, if the call has one */
	__u64 inode;
	__u32 device; /* kernel form: major << 20 | minor */
	__u32 mode;   /* of the inode, 0: it is the one that all eventfds and the like share */
	enum call call;
	__u32 lock_flags;
	__u32 op;         /* futex operation or fcntl command */
	__u32 value;      /* argument 2: what the futex word was expected to be */
	/*
	 * At the futex address; glibc keeps an owner in the third. Of a kernel lock and of
	 * flock(2) the third is the tid of who has it, 0 if that is not known.
	 */
	__u32 words[3];
	__u32 words_read; /* 0: there is no owner among them, or none that could be read */
};

struct wake {
	struct task_id by;
	__u64 ns;
	__u64 stack;
	__u64 address; /* argument 0 of the waker's call */
	enum call call;
	enum wake_kind kind;
};

struct wait_event {
	struct task_id thread;
	struct object object;
	struct wake wake;
	__u64 block_ns;
	__u64 run_ns;
	__u64 user_stack; /* 0: none */
	__u64 kernel_stack;
	struct task_id occupant; /* had the CPU before; tid 0: it was idle, or nobody had it for long */
	__u64 occupied_ns;       /* and for how long */
};

enum { BATCH_WAITS = 16 };

struct wait_batch {
	enum event_type type;
	__u32 count;
	struct wait_event waits[BATCH_WAITS];
};

struct preempt_event {
	enum event_type type;
	__u32 throttled; /* 1: its group was not to use a CPU, and nobody kept it from one */
	struct task_id thread;
	__u64 out_ns;
	__u64 run_ns;
	__u64 user_stack;
	struct task_id occupant;
	__u64 occupied_ns;
};

struct sample_event {
	enum event_type type;
	__u32 pad;
	struct task_id thread;
	__u64 ns;
	__u64 user_stack;
};

struct exec_event {
	enum event_type type;
	__u32 pad;
	struct task_id thread;
};

/* Where a walk stands. */
struct cursor {
	__u64 pc; /* with RETURN_ADDRESS, if it is one */
	__u64 sp;
	__u64 fp;
};

/* A thread's account since it was last read, and the wait it is in. */
struct thread_totals {
	enum event_type type;
	__u32 waits; /* that ended */
	struct task_id thread;
	char comm[TASK_COMM_LEN];
	__u64 since_ns; /* when it was last read, 0: never */
	__u64 now_ns;
	__u64 blocked_ns; /* with the open wait up to now */
	__u64 longest_ns;
	__u64 longest_stack; /* kernel stack of the longest, 0: none */
	__u64 open_ns;       /* when the open wait began, 0: there is none */
	__u64 out_ns;        /* since when it has wanted a CPU, 0: it does not */
	__u64 user_stack;    /* of the open wait */
	__u64 kernel_stack;
	struct cursor at;     /* where the open wait's stack begins; pc 0: nowhere */
	struct object object; /* of the open wait */
	struct wake wake;     /* that ended it, if the thread has no CPU yet */
	__u32 last_waker; /* 0: an interrupt, or nobody yet */
	__u32 untold;     /* of waits, in a storm */
	__u64 untold_ns;
};

enum { MAX_FRAMES = 64, STACK_COPY = 4096 };

#define RETURN_ADDRESS (1ULL << 63)

struct stack {
	__u32 frames;
	__u32 sure;      /* of frames, from the innermost: the others are guesses */
	__u32 truncated; /* the stack goes on */
	__u32 pad;
	__u64 space; /* whose rules and addresses: see address_space(), 0: the kernel's */
	__u64 pc[MAX_FRAMES]; /* user space's with RETURN_ADDRESS */
};

/* How to get from a frame to its caller's. The return address lies below the CFA. */
enum rule_kind {
	RULE_UNKNOWN,
	RULE_SP,     /* the CFA is the stack pointer + cfa */
	RULE_FP,     /* the CFA is the frame pointer + cfa */
	RULE_SIGNAL, /* a handler has returned to what the kernel interrupted for it */
	RULE_END,    /* this is the outermost frame */
};

struct rule_key {
	__u64 space;
	__u64 pc; /* with RETURN_ADDRESS: of the call before it */
};

struct rule {
	__s32 cfa;
	__s16 fp; /* where the caller's frame pointer is kept, from the CFA; 0: it is unchanged */
	__u8 kind;
	__u8 guessed; /* no unwind information says so */
};

/* A walk that met a pc without a rule, with the memory it would have gone on in. */
struct stack_miss {
	__u64 name;
	struct cursor at;
	__u32 tgid;
	__u32 length; /* of memory, which begins at at.sp */
	struct stack so_far;
	__u8 memory[STACK_COPY];
};

#endif
