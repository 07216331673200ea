// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func screenOf(t *testing.T, d diagnosis) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, writeScreen(&b, d))
	return b.String()
}

func TestScreen(t *testing.T) {
	d := diagnosed(lockHolder())
	d.Notes = []string{"something is not known"}
	assert.Equal(t, `process 10 (server), watched for 2.00 s on kernel 6.18.0

Threads waited 2.00 s for each other; flusher (thread 12) answers for 90 % of it.

1. flusher (thread 12) holds mutex 0x7f00
   cost 1.80 s of waiting (90 %), confidence 0.97
   2 threads waited, the most worker (thread 13): 1.00 s, 50 % of its time, 20 times
   meanwhile it slept in (90 % of the time)
       fsync  libc.so.6
       flush  flush.c:42
       server+0x891
       0xdead
   meanwhile it ran in (10 % of the time)
       compress  server
       flush  server
   worker (thread 13) waited in
       lock  server
       handle  server

Note: something is not known.
`, screenOf(t, d))
}

// What each class says in its first line.
func TestScreenOfEachAccusation(t *testing.T) {
	pipe := contention.Resource{Kind: contention.Pipe, Inode: 77}
	for _, test := range []struct {
		class    contention.Class
		resource contention.Resource
		says     string
	}{
		{contention.LockHolder, tableMutex, "other (thread 12) holds mutex 0x7f00"},
		{contention.LockHolder, contention.Resource{Kind: contention.Futex, Address: 0x40, Device: 3, Inode: 9}, "other (thread 12) holds futex 0x40 of inode 9"},
		{contention.LockHolder, contention.Resource{Kind: contention.RWLock, Address: 0x40, Symbol: "table_lock"}, "other (thread 12) holds rwlock table_lock"},
		{contention.LockHolder, contention.Resource{Kind: contention.Flock, Inode: 9}, "other (thread 12) holds the file lock on inode 9"},
		{contention.KernelLockHolder, contention.Resource{Kind: contention.KernelRWSem, Address: 0xffff}, "other (thread 12) holds kernel rwsem 0xffff"},
		{contention.SlowProducer, pipe, "other (thread 12) is slow to write to pipe:[77]"},
		{contention.SlowProducer, contention.Resource{Kind: contention.CondVar, Address: 0x40}, "other (thread 12) is slow to do what others wait for on condition variable 0x40"},
		{contention.SlowProducer, contention.Resource{Kind: contention.Join, TID: 12}, "other (thread 12) is slow to end, and is waited for to"},
		{contention.SlowConsumer, pipe, "other (thread 12) is slow to read from pipe:[77]"},
		{contention.Straggler, contention.Resource{Kind: contention.Barrier, Address: 0x40}, "other (thread 12) comes last to barrier 0x40"},
		{contention.CPUStarvation, contention.Resource{Kind: contention.CPU}, "other (thread 12) keeps others off the CPU"},
	} {
		text := screenOf(t, diagnosed(simple(test.class, test.resource, contention.HoldingOnCPU)))
		assert.Contains(t, text, "\n1. "+test.says+"\n", test.class)
		assert.Contains(t, text, "\nThreads waited 2.00 s for each other; other (thread 12) answers for 100 % of it.\n")
		assert.Contains(t, text, "   1 thread waited, the most worker (thread 13): 500.0 ms, 25 % of its time, 3 times\n")
	}
}

func TestScreenOfADeadlock(t *testing.T) {
	text := screenOf(t, diagnosed(deadlock()))
	assert.Contains(t, text, "\nDeadlock: 2 threads wait for each other for ever.\n")
	assert.Contains(t, text, "\n1. left (thread 12) and 1 other thread wait for each other for ever\n")
	assert.Contains(t, text, "\n   left (12) waits for right (13) over mutex 0x7f40; right (13) waits for left (12) over mutex 0x7f00\n")
}

func TestScreenOfAChain(t *testing.T) {
	const way = "\n   worker (13) waits for worker (14) over pipe:[77]; worker (14) waits for flusher (12) over mutex 0x7f00\n"
	assert.Contains(t, screenOf(t, diagnosed(throughAnother())), way)
	assert.NotContains(t, screenOf(t, diagnosed(lockHolder())), "waits for", "nobody stands between")

	broken := throughAnother()
	broken.Chain = append(broken.Chain[:1:1], contention.Hop{Waiter: 14, Holder: 13})
	assert.NotContains(t, screenOf(t, diagnosed(broken)), "waits for", "it leads nowhere")
}

func TestScreenOfWhatAccusesNobody(t *testing.T) {
	hot := simple(contention.Contended, tableMutex, contention.HoldingOnCPU)
	for _, test := range []struct {
		finding contention.Finding
		says    string
	}{
		{hot, "for mutex 0x7f00, which each holder had for a like time\n   it was held most in\n       work  server\n"},
		{simple(contention.IO, contention.Resource{Kind: contention.Disk}, contention.ReleaseStack), "for the disk\n"},
		{simple(contention.External, contention.Resource{Kind: contention.CondVar, Address: 0x40}, contention.ReleaseStack),
			"for condition variable 0x40, with nobody at work on what they waited for\n"},
		{simple(contention.External, contention.Resource{Kind: contention.Timer}, contention.ReleaseStack), "for a time of their own choice\n"},
		{simple(contention.External, contention.Resource{Kind: contention.Network}, contention.ReleaseStack), "for the network\n"},
		{simple(contention.External, contention.Resource{Kind: contention.Other}, contention.ReleaseStack), "in the kernel, for a cause that was not seen\n"},
	} {
		text := screenOf(t, diagnosed(test.finding))
		assert.Contains(t, text, "\nNobody's fault:\n   1 thread waited 500.0 ms "+test.says)
		assert.Contains(t, text, "\nNo ")
		assert.NotContains(t, text, "answers for")
	}
	assert.Contains(t, screenOf(t, diagnosed(hot)), "\nNo one thread is to blame: threads waited 2.00 s for what all of them hold for a like time.\n")
}

func TestScreenWithoutFindings(t *testing.T) {
	d := diagnosed()
	assert.Contains(t, screenOf(t, d), "\nNo thread is to blame: threads waited 2.00 s in all for each other, none of them long for any one.\n")
	d.Totals = contention.Totals{}
	assert.Equal(t, `process 10 (server), watched for 2.00 s on kernel 6.18.0

No thread is to blame: none waited for another to speak of.
`, screenOf(t, d))
	d.Totals.Open = 8 * time.Second
	assert.Contains(t, screenOf(t, d), "\n8.00 s more went into waits that nobody ended.\n")
}

// A quota, or a holder that has ended.
func TestScreenWithoutCulprit(t *testing.T) {
	f := lockHolder()
	f.Culprit = nil
	text := screenOf(t, diagnosed(f))
	assert.Contains(t, text, "a thread that has ended answers for 90 % of it")
	assert.Contains(t, text, "1. a thread that has ended never let go of mutex 0x7f00")
	f.Class, f.Share = contention.LostWakeup, 0
	text = screenOf(t, diagnosed(f))
	assert.Contains(t, text, "\nLost wake-up: 2 threads asleep though what they wait for has come about.\n")
	assert.Contains(t, text, "1. nobody wakes who sleeps on mutex 0x7f00, though that has changed meanwhile\n   cost 1.80 s of waiting, confidence")
	f.Class = contention.Deadlock
	f.Culprit, f.Culprits = &f.Victims[0].Thread, nil
	assert.Contains(t, screenOf(t, diagnosed(f)), "\nDeadlock: a thread waits for itself for ever.\n")
	f = simple(contention.CPUStarvation, contention.Resource{Kind: contention.CPU}, contention.HoldingOnCPU)
	f.Culprit = nil
	assert.Contains(t, screenOf(t, diagnosed(f)), "1. the CPU quota of a control group keeps threads off the CPU")
}

func TestScreenShowsNoTrifles(t *testing.T) {
	f := lockHolder()
	f.Stacks[1].Weight = time.Millisecond
	assert.NotContains(t, screenOf(t, diagnosed(f)), "compress")

	f.Stacks = f.Stacks[2:]
	assert.Contains(t, screenOf(t, diagnosed(f)), "\n   it let go in\n       unlock  server\n", "where nothing else is known")

	f = lockHolder()
	f.Stacks[0].Frames = stackOf("a", "b", "c", "d", "e", "f", "g", "h")
	assert.Contains(t, screenOf(t, diagnosed(f)), "       f  server\n       … 2 more\n")
}

func TestScreenLeavesOutWhatLibrariesDoWithinThemselves(t *testing.T) {
	f := lockHolder()
	f.Stacks = f.Stacks[:1]
	f.Stacks[0].Frames = contention.Stack{
		{Function: "syscall", Module: "libc.so.6"}, {Function: "inner", Module: "libc.so.6"}, {Function: "cond_wait", Module: "libc.so.6"},
		{Function: "one", Module: "app"}, {Function: "two", Module: "app"}, {Function: "three", Module: "app"},
		{Function: "start", Module: "libc.so.6"},
	}
	assert.Contains(t, screenOf(t, diagnosed(f)), "       syscall  libc.so.6\n       cond_wait  libc.so.6\n"+
		"       one  app\n       two  app\n       three  app\n       start  libc.so.6\n")
}

func TestScreenIsShort(t *testing.T) {
	var many []contention.Finding
	for rank := 1; rank <= 30; rank++ {
		f := lockHolder()
		f.Rank = rank
		many = append(many, f)
	}
	text := screenOf(t, diagnosed(many...))
	assert.Contains(t, text, "\n25 smaller causes more: see --json.\n")
	assert.LessOrEqual(t, strings.Count(text, "\n"), 80)
}

// Programs choose the names of their threads.
func TestScreenOfHostileNames(t *testing.T) {
	f := lockHolder()
	f.Culprit.Comm = "a\x1b[2Jb\nc\xff"
	d := diagnosed(f)
	d.Target.Comm = "\r\x07"
	text := screenOf(t, d)
	assert.NotContains(t, text, "\x1b")
	assert.NotContains(t, text, "\r")
	assert.Contains(t, text, "\n1. a\ufffd[2Jb\ufffdc\ufffd (thread 12) holds mutex 0x7f00\n")
}

func TestScreenThatCannotBeWritten(t *testing.T) {
	require.ErrorIs(t, writeScreen(failing{assert.AnError}, diagnosed(lockHolder())), assert.AnError)
}

func TestScreenSaysHowSureAStackIs(t *testing.T) {
	f := lockHolder()
	f.Stacks = []contention.WeightedStack{{Role: contention.HoldingOffCPU, Weight: 1, Frames: contention.Stack{
		{Function: "pace", File: "/src/a.c", Line: 7, Inlined: true}, {Function: "hold", Module: "app"},
		{Function: "run", Module: "app", Guessed: true}, {Function: "start", Module: "app", Guessed: true, Truncated: true},
	}}}
	text := screenOf(t, diagnosed(f))
	for _, line := range []string{
		"pace  /src/a.c:7 (inlined)\n", "hold  app\n", "run  app (a guess)\n", "start  app (a guess)\n", "… and more that could not be followed\n",
	} {
		assert.Contains(t, text, line)
	}
}

func TestScreenDoesNotAcquitOnLittleEvidence(t *testing.T) {
	d := diagnosed()
	d.Totals.ByKind = map[contention.Kind]contention.KindTotal{contention.Pipe: {Waits: 90}, contention.Timer: {Waits: 10}}
	d.Loss = contention.Loss{RingFull: 11}
	var b strings.Builder
	require.NoError(t, writeScreen(&b, d))
	assert.Contains(t, b.String(), "It cannot be told who is to blame: 11 events were lost, and 100 waits seen.")
	d.Loss.RingFull = 10
	b.Reset()
	require.NoError(t, writeScreen(&b, d))
	assert.Contains(t, b.String(), "No thread is to blame")
}
