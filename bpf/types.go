// SPDX-License-Identifier: Apache-2.0

package bpf

import "time"

// What crosses from the kernel, as events.h declares it.
type (
	TaskID       = watchTaskId
	Object       = watchObject
	Wake         = watchWake
	WaitEvent    = watchWaitEvent
	WaitBatch    = watchWaitBatch
	PreemptEvent = watchPreemptEvent
	SampleEvent  = watchSampleEvent
	ExecEvent    = watchExecEvent
	ThreadTotals = watchThreadTotals
	Stack        = watchStack
	StackMiss    = watchStackMiss
	Cursor       = watchCursor
	RuleKey      = watchRuleKey
	Rule         = watchRule
	EventType    = watchEventType
	Call         = watchCall
	WakeKind     = watchWakeKind
)

// The events of the ring buffer.
const (
	EventWaits     = watchEventTypeEVENT_WAITS
	EventPreempted = watchEventTypeEVENT_PREEMPTED
	EventSample    = watchEventTypeEVENT_SAMPLE
	EventExit      = watchEventTypeEVENT_EXIT
	EventExec      = watchEventTypeEVENT_EXEC
)

// The system calls that are told apart.
const (
	CallOther      = watchCallCALL_OTHER
	CallFault      = watchCallCALL_FAULT
	CallFutexWait  = watchCallCALL_FUTEX_WAIT
	CallFutexWake  = watchCallCALL_FUTEX_WAKE
	CallFutexWaitV = watchCallCALL_FUTEX_WAITV
	CallRead       = watchCallCALL_READ
	CallWrite      = watchCallCALL_WRITE
	CallReceive    = watchCallCALL_RECEIVE
	CallSend       = watchCallCALL_SEND
	CallAccept     = watchCallCALL_ACCEPT
	CallConnect    = watchCallCALL_CONNECT
	CallPoll       = watchCallCALL_POLL
	CallSleep      = watchCallCALL_SLEEP
	CallFlock      = watchCallCALL_FLOCK
	CallFcntl      = watchCallCALL_FCNTL
	CallSync       = watchCallCALL_SYNC
	CallChild      = watchCallCALL_CHILD
	CallSignal     = watchCallCALL_SIGNAL
	CallRestart    = watchCallCALL_RESTART
)

// The contexts a wake-up is made in.
const (
	WakeUnseen    = watchWakeKindWAKE_UNSEEN
	WakeThread    = watchWakeKindWAKE_THREAD
	WakeInterrupt = watchWakeKindWAKE_INTERRUPT
	WakeKernel    = watchWakeKindWAKE_KERNEL
)

// KernelStacks says when the kernel stack of a sleeping thread is taken. It costs
// about twenty times what the registers cost.
type KernelStacks = watchKernelStackPolicy

// The policies.
const (
	KernelStacksNever       = watchKernelStackPolicyKERNEL_STACKS_NEVER
	KernelStacksUnexplained = watchKernelStackPolicyKERNEL_STACKS_UNEXPLAINED
	KernelStacksAlways      = watchKernelStackPolicyKERNEL_STACKS_ALWAYS
)

// ReturnAddress is set in a pc that is one: its rule is that of the call before it.
const ReturnAddress = 1 << 63

// The kinds of unwind rule.
const (
	RuleUnknown = watchRuleKindRULE_UNKNOWN
	RuleSP      = watchRuleKindRULE_SP
	RuleFP      = watchRuleKindRULE_FP
	RuleSignal  = watchRuleKindRULE_SIGNAL
	RuleEnd     = watchRuleKindRULE_END
)

// UserStacks says how user stacks are taken.
type UserStacks = watchUserStackPolicy

// The policies. By rules is exact, for programs of x86-64, and needs somebody who
// fills Objects.Rules. By frame pointers is what the kernel does, and what code without
// them breaks.
const (
	UserStacksNever           = watchUserStackPolicyUSER_STACKS_NEVER
	UserStacksByRules         = watchUserStackPolicyUSER_STACKS_BY_RULES
	UserStacksByFramePointers = watchUserStackPolicyUSER_STACKS_BY_FRAME_POINTERS
)

// ShedPeriod is the period of Objects.Told. Periods begin at its multiples, by CLOCK_MONOTONIC.
const ShedPeriod time.Duration = 1 << 26

// Lost counts what the programs could not keep or see, in order of enum loss.
type Lost [watchLossLOSS_CAUSES]uint64

// RingFull is how many events found no room.
func (l Lost) RingFull() uint64 { return l[watchLossLOSS_RING_FULL] }

// MapFull is how many threads found no room.
func (l Lost) MapFull() uint64 { return l[watchLossLOSS_MAP_FULL] }

// StackIncomplete is how many stacks were not followed to their end.
func (l Lost) StackIncomplete() uint64 { return l[watchLossLOSS_STACK_INCOMPLETE] }

// UnmatchedWake is how many waits ended without a wake-up having been seen.
func (l Lost) UnmatchedWake() uint64 { return l[watchLossLOSS_UNMATCHED_WAKE] }

// StackMiss is how many walks met a pc without a rule.
func (l Lost) StackMiss() uint64 { return l[watchLossLOSS_STACK_MISS] }
