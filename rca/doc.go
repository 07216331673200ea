// SPDX-License-Identifier: Apache-2.0

// Package rca finds out which thread makes the others wait, and why. It is pure: a
// contention.Trace goes in and ranked findings come out, the same for the same
// trace, whatever the order of events of equal times.
//
// The rule is to split each wait over the releases that happened during it. A
// resource is let go again and again, and the time between two releases belongs to
// the thread that makes the later one, because it had the resource meanwhile. The
// thread that wakes a waiter is only the last of those it waited for.
//
// While a thread had the resource it may have waited itself: those parts are
// explained in the same way, so that time moves on to the end of the chain. What a
// thread does of its own accord while it holds a lock it answers for, sleeping
// included; one that others expect something from (data in a pipe, a signal) does
// not answer for its sleep, and that time is external.
//
// Each nanosecond waited is charged to one thread, or is external, or is open
// because the wait has not ended: the three add up to the waiting, exactly. Sleeping
// by choice (kinds timer, signal and poll) is not waiting; the totals list it by
// kind and leave it out of the sum.
//
// The steps, a file each: index the trace (index.go), tell locks from producers
// (behaviour.go), find cycles (deadlock.go), charge each wait (explain.go, charge.go),
// judge the charges (judge.go) and tell the findings (finding.go, stacks.go).
package rca
