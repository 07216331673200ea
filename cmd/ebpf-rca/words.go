// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/os2026/ebpf-rca/contention"
)

// deed says what a culprit did, in words that follow its name.
func deed(f contention.Finding) string {
	what := resourceName(f.Resource)
	switch f.Class {
	case contention.LockHolder, contention.KernelLockHolder:
		if f.Culprit == nil {
			return "never let go of " + what
		}
		return "holds " + what
	case contention.SlowProducer:
		return "is slow to " + produce(f.Resource)
	case contention.SlowConsumer:
		return "is slow to read from " + what
	case contention.Straggler:
		return "comes last to " + what
	case contention.CPUStarvation:
		if f.Culprit == nil {
			return "keeps threads off the CPU: it was used up, and they were throttled"
		}
		return "keeps others off the CPU"
	case contention.Deadlock:
		if len(f.Culprits) == 0 {
			return "waits for " + what + ", which it has itself"
		}
		return fmt.Sprintf("and %s wait for each other for ever", plural(len(f.Culprits)-1, "other thread"))
	case contention.LostWakeup:
		return "wakes who sleeps on " + what + ", though that has changed meanwhile"
	default:
		return string(f.Class) + " " + what
	}
}

// produce says what a slow producer is slow to do.
func produce(r contention.Resource) string {
	what := resourceName(r)
	switch r.Kind {
	case contention.Pipe, contention.Socket, contention.EventFD:
		return "write to " + what
	case contention.Join:
		return "end, and is waited for to"
	default:
		return "do what others wait for on " + what
	}
}

// circumstance says what a finding that accuses nobody tells of.
func circumstance(f contention.Finding) string {
	what := resourceName(f.Resource)
	switch f.Class {
	case contention.Contended:
		return "for " + what + ", which each holder had for a like time"
	case contention.IO:
		return "for the disk"
	}
	switch f.Resource.Kind {
	case contention.Timer:
		return "for a time of their own choice"
	case contention.Disk, contention.Network, contention.Poll, contention.Signal:
		return "for " + what
	case contention.Other:
		return "in the kernel, for a cause that was not seen"
	default:
		return "for " + what + ", with nobody at work on what they waited for"
	}
}

// resourceName names a resource as a person would look for it: a pipe or socket as
// /proc/PID/fd shows it.
func resourceName(r contention.Resource) string {
	name := map[contention.Kind]string{
		contention.CondVar: "condition variable", contention.Monitor: "runtime lock",
		contention.Flock: "the file lock on", contention.PosixLock: "the file lock on",
		contention.KernelMutex: "kernel mutex", contention.KernelRWSem: "kernel rwsem",
		contention.KernelSpin: "kernel spinlock", contention.KernelRT: "kernel rt-mutex",
		contention.KernelPCPURW: "kernel per-CPU rwsem", contention.Fault: "page",
		contention.CPU: "the CPU", contention.Disk: "the disk", contention.Network: "the network",
		contention.Timer: "a timer", contention.Signal: "a signal", contention.Poll: "any of several files",
		contention.Other: "something unknown",
	}[r.Kind]
	if name == "" {
		name = string(r.Kind)
	}
	switch {
	case r.Symbol != "":
		return name + " " + r.Symbol
	case r.Address != 0 && r.Inode != 0:
		return fmt.Sprintf("%s %v of inode %d", name, r.Address, r.Inode)
	case r.Address != 0:
		return fmt.Sprintf("%s %v", name, r.Address)
	case r.Inode != 0 && (r.Kind == contention.Pipe || r.Kind == contention.Socket):
		return fmt.Sprintf("%s:[%d]", name, r.Inode)
	case r.Inode != 0:
		return fmt.Sprintf("%s inode %d", name, r.Inode)
	default:
		return name
	}
}

func culpritName(f contention.Finding) string {
	switch {
	case f.Culprit != nil:
		return threadName(*f.Culprit)
	case f.Class == contention.CPUStarvation:
		return "the CPU quota of a control group"
	case f.Class == contention.LostWakeup:
		return "nobody"
	case f.Class == contention.LockHolder, f.Class == contention.KernelLockHolder:
		return "a thread that has ended"
	default:
		return "a thread that is not known"
	}
}

func threadName(t contention.Thread) string {
	return fmt.Sprintf("%s (thread %d)", orUnknown(t.Comm), t.TID)
}

// frameText is a line of a stack, and another where the stack goes on.
func frameText(f contention.Frame) string {
	text := f.Name()
	switch {
	case f.File != "":
		text += fmt.Sprintf("  %s:%d", f.File, f.Line)
	case f.Function != "" && f.Module != "":
		text += "  " + f.Module
	}
	if f.Inlined {
		text += " (inlined)"
	}
	if f.Guessed {
		text += " (a guess)"
	}
	return text
}

func orUnknown(name string) string {
	if name == "" {
		return "?"
	}
	return name
}

// printable makes of text one line that does nothing to a terminal: programs choose
// the names of their threads and functions.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func seconds(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	}
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// plural counts a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
