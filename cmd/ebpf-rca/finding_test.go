// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// The findings of one imaginary program, process 10, for the tests of how they are
// told.

func member(tid int, name string) contention.Thread {
	return contention.Thread{PID: 10, TID: tid, Comm: name, Start: 5 * time.Second}
}

func accused(tid int, name string) *contention.Thread {
	t := member(tid, name)
	return &t
}

func stackOf(functions ...string) contention.Stack {
	var s contention.Stack
	for i, f := range functions {
		s = append(s, contention.Frame{Function: f, Module: "server", Address: contention.Address(0x1000 + i)})
	}
	return s
}

var tableMutex = contention.Resource{Kind: contention.Mutex, Address: 0x7f00, PID: 10}

func lockHolder() contention.Finding {
	return contention.Finding{
		Rank: 1, Class: contention.LockHolder, Confidence: 0.97, Blame: 1800 * time.Millisecond, Share: 0.9,
		Culprit: accused(12, "flusher"), Resource: tableMutex,
		Stacks: []contention.WeightedStack{
			{Role: contention.HoldingOffCPU, Weight: 900 * time.Millisecond, Frames: append(
				contention.Stack{{Function: "fsync", Module: "libc.so.6", Address: 0x20}},
				contention.Frame{Function: "flush", Module: "server", File: "flush.c", Line: 42, Address: 0x30},
				contention.Frame{Module: "server", Offset: 0x891, Address: 0x5555},
				contention.Frame{Address: 0xdead})},
			{Role: contention.HoldingOnCPU, Weight: 100 * time.Millisecond, Frames: stackOf("compress", "flush")},
			{Role: contention.ReleaseStack, Frames: stackOf("unlock")},
		},
		Victims: []contention.Victim{
			{Thread: member(13, "worker"), Wait: time.Second, Count: 20, Stack: stackOf("lock", "handle")},
			{Thread: member(14, "worker"), Wait: 800 * time.Millisecond, Count: 1},
		},
		Chain: []contention.Hop{{Waiter: 13, Holder: 12, Resource: tableMutex, Wait: time.Second, Evidence: contention.ByRelease}},
	}
}

// throughAnother is a holder that is waited for by way of somebody who waits for it.
func throughAnother() contention.Finding {
	f := lockHolder()
	f.Chain = []contention.Hop{
		{Waiter: 13, Holder: 14, Resource: contention.Resource{Kind: contention.Pipe, Inode: 77}, Wait: time.Second, Evidence: contention.ByWaker},
		{Waiter: 14, Holder: 12, Resource: tableMutex, Wait: time.Second, Evidence: contention.ByOwner},
	}
	return f
}

// simple is a finding of a class with one victim and one stack.
func simple(class contention.Class, r contention.Resource, role contention.Role) contention.Finding {
	f := contention.Finding{
		Rank: 1, Class: class, Confidence: 0.8, Blame: 500 * time.Millisecond, Share: 1, Resource: r,
		Stacks:  []contention.WeightedStack{{Role: role, Weight: time.Second, Frames: stackOf("work")}},
		Victims: []contention.Victim{{Thread: member(13, "worker"), Wait: 500 * time.Millisecond, Count: 3}},
	}
	if class.Accuses() {
		f.Culprit = accused(12, "other")
	}
	return f
}

func deadlock() contention.Finding {
	f := simple(contention.Deadlock, tableMutex, contention.HoldingOffCPU)
	f.Culprits = []contention.Thread{member(12, "left"), member(13, "right")}
	f.Culprit = &f.Culprits[0]
	f.Victims = []contention.Victim{
		{Thread: member(12, "left"), Wait: time.Second, Count: 1},
		{Thread: member(13, "right"), Wait: time.Second, Count: 1},
	}
	other := contention.Resource{Kind: contention.Mutex, Address: 0x7f40}
	f.Chain = []contention.Hop{
		{Waiter: 12, Holder: 13, Resource: other, Wait: time.Second, Evidence: contention.ByOwner},
		{Waiter: 13, Holder: 12, Resource: tableMutex, Wait: time.Second, Evidence: contention.ByOwner},
	}
	return f
}

func diagnosed(findings ...contention.Finding) diagnosis {
	return diagnosis{
		Schema: diagnosisSchema, Target: target{PID: 10, Comm: "server"}, Window: 2 * time.Second, Kernel: "6.18.0",
		Findings: findings,
		Totals: contention.Totals{
			Waits: 21, WaitTime: 2100 * time.Millisecond, Blame: 2 * time.Second, External: 60 * time.Millisecond, Open: 40 * time.Millisecond,
			ByKind: map[contention.Kind]contention.KindTotal{contention.Mutex: {Waits: 21, WaitTime: 2100 * time.Millisecond}},
		},
	}
}
