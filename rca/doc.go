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
// explained in the same way, so that time moves on to the end of the chain. What
// nobody further along answers for falls back on the nearest thread of the chain that
// holds a lock: it answers for all it does meanwhile, sleeping included. A thread that
// others expect something from (data in a pipe, a signal) does not answer for its
// sleep; with no lock on the way that time is external. Of a process that is not in
// the trace it is not known whether it worked or slept, so it passes for asleep.
//
// Each nanosecond waited is charged to one thread, or is external, or is open
// because the wait has not ended: the three add up to the waiting, exactly. Sleeping
// by choice (kinds timer, signal and poll) is not waiting; the totals list it by
// kind and leave it out of the sum.
//
// Where a thread that is waited for wants a CPU for longer than a fair scheduler lets
// it, the time moves on to who had the CPU, if that one stands out among those who
// want it. Otherwise the thread answers for it, but is not accused for it.
//
// A thread is accused when it cost a victim enough and stands out: it holds a lock,
// or has a CPU, for much longer than others that want it, or it produces and waits
// much less than those who wait for it. No names of threads or functions and no
// addresses matter, other than to tell things apart.
//
// Where several threads may have a thing at a time, those that have it share what it
// costs. What a thread costs over many locks of one kind, none of which is worth an
// accusation, is judged together. A lock whose holder has ended and a wake-up that was
// forgotten are told, and name nobody.
//
// The steps, a file each: index the trace (number.go, index.go, events.go, order.go), tell locks
// from producers (behaviour.go) and pools from locks (pool.go), find cycles
// (deadlock.go), explain each wait, those for the same thing together (explain.go,
// queue.go), once to see who stands out by having CPUs (crowd.go) and once more to charge
// (charge.go, account.go), judge the charges (judge.go, usual.go, exchange.go,
// scattered.go) and tell the findings (finding.go, stacks.go).
package rca
