/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * While a program runs, the kernel does not begin it again on the same CPU. Where a
 * tracepoint can be preempted, and its programs with it, as some can from 7.0 on, the next
 * thread that comes to it would go unseen. What comes between the kernel's note that the
 * program runs and this is a few instructions.
 */
#ifndef PREEMPT_H
#define PREEMPT_H

#include "kernel.h"
#include <bpf/bpf_helpers.h>

#ifdef BEFORE_5_15

static __always_inline void stay(void) {}
static __always_inline void stay_no_more(void) {}

#else

/* 6.10 and later (commit fc7566ad0a82). */
extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

static __always_inline void stay(void)
{
	if (bpf_preempt_disable)
		bpf_preempt_disable();
}

static __always_inline void stay_no_more(void)
{
	if (bpf_preempt_enable)
		bpf_preempt_enable();
}

#endif

#endif
