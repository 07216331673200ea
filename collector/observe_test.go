// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"cmp"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// watched is an observation and all that it has told so far.
type watched struct {
	*Observation
	t        testing.TB
	begin    time.Duration
	attached time.Duration
	seen     contention.Trace
}

func observe(t testing.TB, pid int, opts Options) *watched {
	t.Helper()
	needBPF(t)
	begin := Now()
	o, err := Observe(pid, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.Close()) })
	return &watched{Observation: o, t: t, begin: begin, attached: Now()}
}

// look cuts a window and adds it to what was seen, waits still open aside.
func (w *watched) look() *contention.Trace {
	w.t.Helper()
	end := Now()
	trace, err := w.Cut(contention.Window{Begin: w.begin, End: end})
	require.NoError(w.t, err)
	for _, wait := range trace.Waits {
		assertOrder(w.t, wait)
		if wait.Ran != 0 {
			w.seen.Waits = append(w.seen.Waits, wait)
		}
	}
	for _, p := range trace.Preemptions {
		assert.LessOrEqual(w.t, p.Begin, p.Ran)
	}
	w.seen.Threads = append(w.seen.Threads, trace.Threads...)
	w.seen.Preemptions = append(w.seen.Preemptions, trace.Preemptions...)
	w.seen.Samples = append(w.seen.Samples, trace.Samples...)
	w.seen.Stacks = trace.Stacks
	w.seen.Loss = w.seen.Loss.Plus(trace.Loss)
	w.begin = end
	assert.Zero(w.t, trace.Loss.RingFull+trace.Loss.Detached, "events lost: %+v", trace.Loss)
	return trace
}

func assertOrder(t testing.TB, w contention.Wait) {
	t.Helper()
	assert.NotZero(t, w.Begin)
	if w.Woken != 0 {
		assert.LessOrEqual(t, w.Begin, w.Woken)
	}
	if w.Ran != 0 {
		assert.NotZero(t, w.Woken)
		assert.LessOrEqual(t, w.Woken, w.Ran)
		assert.LessOrEqual(t, w.Ran, Now())
	}
}

// waits looks until n waits match that have begun and ended under observation.
func (w *watched) waits(n int, match func(contention.Wait) bool) []contention.Wait {
	w.t.Helper()
	var found []contention.Wait
	poll(w.t, "wait that matches", func() bool {
		time.Sleep(20 * time.Millisecond)
		w.look()
		found = nil
		for _, wait := range w.seen.Waits {
			if wait.Begin > w.attached && match(wait) {
				found = append(found, wait)
			}
		}
		return len(found) >= n
	})
	return found
}

func by(tid uint64) func(contention.Wait) bool {
	return func(w contention.Wait) bool { return uint64(w.Thread.TID) == tid }
}

func (w *watched) functions(id contention.StackID) string {
	var names []string
	for _, f := range w.seen.Stack(id) {
		names = append(names, f.Function)
	}
	return strings.Join(names, " ")
}

func (w *watched) pids() []int {
	var pids []int
	for _, wait := range w.seen.Waits {
		for _, thread := range w.seen.Threads {
			if thread.ID() == wait.Thread && !slices.Contains(pids, thread.PID) {
				pids = append(pids, thread.PID)
			}
		}
	}
	return pids
}

func TestObserveSeesTheTargetOnly(t *testing.T) {
	needBPF(t)
	p, other := startTarget(t, "sleep", "2"), startTarget(t, "sleep", "2")
	w := observe(t, p.pid, Options{})
	waits := w.waits(10, by(uint64(p.pid)))
	assert.Equal(t, []int{p.pid}, w.pids())
	assert.NotContains(t, w.pids(), other.pid)
	unseen := 0 // an interrupt that comes while the program runs already is not told
	for _, wait := range waits {
		assert.Equal(t, contention.Resource{Kind: contention.Timer, PID: p.pid, TID: p.pid}, wait.Resource)
		if wait.Waker.Kind == contention.WakerUnknown {
			unseen++
		} else {
			assert.Equal(t, contention.Waker{Kind: contention.WokenByInterrupt}, wait.Waker)
		}
		assert.Equal(t, contention.NoStack, wait.KernelStack, "the registers explain a sleep")
		assert.Contains(t, w.functions(wait.Stack), "mode_sleep")
		assert.Zero(t, wait.Owner)
	}
	w.look()
	assert.LessOrEqual(t, unseen, 1)
	assert.LessOrEqual(t, uint64(unseen), w.seen.Loss.UnmatchedWake, "but counted")
}

func TestObserveMutex(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "mutex")
	holder, waiter, address := p.said["holder"], p.said["waiter"], contention.Address(p.said["address"])
	w := observe(t, p.pid, Options{})
	waits := w.waits(20, func(wait contention.Wait) bool { return by(waiter)(wait) && wait.Resource.Address == address })
	var named int
	for _, wait := range waits {
		assert.Equal(t, contention.Resource{Kind: contention.Mutex, Address: address, PID: p.pid, Symbol: "mutex+0x0"}, wait.Resource)
		assert.Equal(t, contention.WokenByThread, wait.Waker.Kind)
		assert.Equal(t, holder, uint64(wait.Waker.Thread.TID))
		assert.True(t, wait.Waker.SameObject)
		stacks := []contention.StackID{wait.Stack, wait.Waker.Stack}
		if wait.Woken-wait.Begin < 10*time.Microsecond {
			stacks = stacks[:1] // who ends so short a wait is named without a stack
		}
		for _, id := range stacks {
			require.NotEmpty(t, w.seen.Stack(id))
			assert.Equal(t, "libc.so.6", w.seen.Stack(id)[0].Module)
		}
		assert.Equal(t, contention.NoStack, wait.KernelStack)
		if wait.Owner != 0 { // 0: it was let go as the wait began
			named++
			assert.Equal(t, holder, uint64(wait.Owner))
		}
	}
	assert.GreaterOrEqual(t, named, len(waits)*9/10)
	assert.InDelta(t, 5*time.Millisecond, median(waits), float64(3*time.Millisecond))
}

func median(waits []contention.Wait) time.Duration {
	var lengths []time.Duration
	for _, w := range waits {
		lengths = append(lengths, w.Woken-w.Begin)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

func TestObservePipe(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "pipe")
	w := observe(t, p.pid, Options{})
	for _, wait := range w.waits(10, by(p.said["reader"])) {
		assert.Equal(t, contention.Resource{Kind: contention.Pipe, Device: p.said["device"], Inode: p.said["inode"], Side: contention.ForData}, wait.Resource)
		assert.Equal(t, contention.WokenByThread, wait.Waker.Kind)
		assert.Equal(t, p.said["writer"], uint64(wait.Waker.Thread.TID))
		assert.True(t, wait.Waker.SameObject)
	}
}

// All eventfds share one inode, which passes for a plain file's.
func TestObserveEventFD(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "eventfd")
	w := observe(t, p.pid, Options{})
	for _, wait := range w.waits(10, by(p.said["reader"])) {
		assert.Equal(t, contention.EventFD, wait.Resource.Kind)
		assert.NotZero(t, wait.Resource.Address, "what tells it from others")
		assert.Equal(t, p.said["writer"], uint64(wait.Waker.Thread.TID))
	}
}

func TestObserveSharedFutex(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "shared", filepath.Join(t.TempDir(), "futex"))
	w := observe(t, p.pid, Options{})
	want := contention.Resource{Kind: contention.Futex, Device: p.said["device"], Inode: p.said["inode"], Address: contention.Address(p.said["offset"])}
	for tid, waker := range map[uint64]uint64{p.said["parent"]: p.said["child"], p.said["child"]: p.said["parent"]} {
		for _, wait := range w.waits(5, func(wait contention.Wait) bool { return by(tid)(wait) && wait.Resource.Kind == contention.Futex }) {
			assert.Equal(t, want, wait.Resource, "one object at two addresses")
			assert.Equal(t, waker, uint64(wait.Waker.Thread.TID))
			assert.True(t, wait.Waker.SameObject)
		}
	}
}

func TestObserveChildren(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "fork")
	w := observe(t, p.pid, Options{})
	p.proceed(t)
	born := p.read(t)
	for name, pid := range born {
		assert.NotEmpty(t, w.waits(3, by(pid)), name)
	}

	// They are there already for who comes later.
	late := observe(t, p.pid, Options{})
	for name, pid := range born {
		assert.NotEmpty(t, late.waits(3, by(pid)), name)
	}
}

func TestObserveNoChildren(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "fork")
	w := observe(t, p.pid, Options{NoChildren: true})
	p.proceed(t)
	p.read(t)
	w.waits(5, by(uint64(p.pid)))
	w.waits(len(w.seen.Waits)+50, func(contention.Wait) bool { return true })
	assert.Equal(t, []int{p.pid}, w.pids())
}

func TestObserveOpenWaitFromBefore(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1000000")
	awaitSleep(t, p.pid)
	before := Now()
	w := observe(t, p.pid, Options{})
	for range 2 {
		trace := w.look()
		require.Len(t, trace.Waits, 1)
		wait := trace.Waits[0]
		assert.True(t, wait.Open())
		assert.Zero(t, wait.Ran)
		assert.Equal(t, contention.Resource{Kind: contention.Timer, PID: p.pid, TID: p.pid}, wait.Resource)
		assert.Greater(t, wait.Begin, before)
		assert.Less(t, wait.Begin, Now())
	}
}

func TestObserveOpenPipeWaitFromBefore(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "exit") // reads its standard input
	awaitSleep(t, p.pid)
	w := observe(t, p.pid, Options{})
	var wait contention.Wait
	poll(t, "open wait for a pipe", func() bool {
		trace := w.look()
		if len(trace.Waits) > 0 {
			wait = trace.Waits[len(trace.Waits)-1]
		}
		return wait.Open() && wait.Resource.Kind == contention.Pipe
	})
	info, err := os.Stat(procFile(p.pid, "fd/0"))
	require.NoError(t, err)
	assert.Equal(t, inodeOf(info), wait.Resource.Inode)
	assert.Equal(t, contention.ForData, wait.Resource.Side)
	p.proceed(t)
	poll(t, "end of that wait", func() bool {
		w.look()
		i := slices.IndexFunc(w.seen.Waits, func(ended contention.Wait) bool { return ended.Resource == wait.Resource })
		if i >= 0 {
			wait = w.seen.Waits[i]
		}
		return i >= 0
	})
	assert.Equal(t, contention.WokenByThread, wait.Waker.Kind, "by this test")
	assert.Equal(t, contention.NoStack, wait.Waker.Stack, "who watches is not looked at")
}

func TestObserveUnknownCallTakesKernelStack(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "vfork")
	w := observe(t, p.pid, Options{})
	for _, wait := range w.waits(5, by(uint64(p.pid))) {
		assert.Equal(t, contention.Other, wait.Resource.Kind)
		assert.Contains(t, w.functions(wait.KernelStack), "kernel_clone")
	}
}

func TestObserveKernelStacks(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "2")
	w := observe(t, p.pid, Options{KernelStacks: true})
	for _, wait := range w.waits(5, by(uint64(p.pid))) {
		assert.Contains(t, w.functions(wait.KernelStack), "nanosleep")
	}
}

func TestObserveKernelLock(t *testing.T) {
	needKernelLocks(t)
	p := startTarget(t, "inode", filepath.Join(t.TempDir(), "file"))
	w := observe(t, p.pid, Options{})
	tids := threadsOf(t, p.pid)
	for _, wait := range w.waits(3, func(wait contention.Wait) bool { return wait.Resource.Kind == kernelKind(contention.KernelRWSem) }) {
		assert.NotZero(t, wait.Resource.Address)
		if wait.Waker.Kind != contention.WakerUnknown { // nobody ends a spin, which is told without
			assert.Regexp(t, "rwsem|rwbase|rt_mutex", w.functions(wait.KernelStack))
		}
		assert.Contains(t, w.functions(wait.Stack), "pwrite")
		// There are two: who has it is the other, or the waiter that it is handed over to.
		assert.Contains(t, append(tids, 0), uint64(wait.Owner))
		if wait.Waker.Kind == contention.WokenByThread {
			assert.Contains(t, tids, uint64(wait.Waker.Thread.TID))
		}
	}
}

func TestObserveWhoHasAFile(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "flock", filepath.Join(t.TempDir(), "file"))
	tids := threadsOf(t, p.pid)
	require.Len(t, tids, 2)
	w := observe(t, p.pid, Options{})
	for _, wait := range w.waits(10, isFlock)[4:] { // by the fourth each has been seen to take it
		assert.Equal(t, tids[0]+tids[1], uint64(wait.Thread.TID)+uint64(wait.Owner), "the other has it")
	}
}

func isFlock(w contention.Wait) bool { return w.Resource.Kind == contention.Flock }

func TestObservePreemption(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "hogs")
	tids := threadsOf(t, p.pid)
	w := observe(t, p.pid, Options{})
	poll(t, "preemption of one thread by the other", func() bool {
		w.look()
		for _, p := range w.seen.Preemptions {
			if slices.Contains(tids, uint64(p.Thread.TID)) && slices.Contains(tids, uint64(p.Occupant.TID)) {
				assert.NotEqual(t, p.Thread, p.Occupant)
				return true
			}
		}
		return false
	})
	assert.Empty(t, w.seen.Waits, "wanting a CPU is no wait")
	poll(t, "sample on the CPU", func() bool {
		w.look()
		return slices.ContainsFunc(w.seen.Samples, func(s contention.Sample) bool {
			return slices.Contains(tids, uint64(s.Thread.TID)) && strings.Contains(w.functions(s.Stack), "hog")
		})
	})
}

func TestObserveNoSamples(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "hogs")
	w := observe(t, p.pid, Options{NoSamples: true})
	poll(t, "preemption", func() bool { w.look(); return len(w.seen.Preemptions) > 20 })
	assert.Empty(t, w.seen.Samples)
}

func TestObserveExec(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "exec", compile(t, "target"))
	w := observe(t, p.pid, Options{})
	w.look()
	p.proceed(t)
	p.read(t)
	waits := w.waits(20, func(wait contention.Wait) bool { return wait.Resource.Kind == contention.Timer })
	last := waits[len(waits)-1]
	assert.Contains(t, w.functions(last.Stack), "mode_sleep", "of the program that it is now")
	var name string
	for _, thread := range w.seen.Threads {
		if thread.TID == p.pid {
			name = thread.Comm
		}
	}
	assert.Equal(t, "target", name)
}

func TestObserveTargetThatExits(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "exit")
	w := observe(t, p.pid, Options{})
	p.proceed(t)
	require.NoError(t, p.cmd.Wait())
	trace := w.look()
	assert.NotEmpty(t, trace.Waits)
	for _, wait := range trace.Waits {
		assert.False(t, wait.Open(), "who is gone waits for nothing: %+v", wait)
	}
	is := func(thread contention.Thread) bool { return thread.TID == p.pid }
	assert.True(t, slices.ContainsFunc(trace.Threads, is))
	assert.False(t, slices.ContainsFunc(w.look().Threads, is))
}

func TestObserveNoProcess(t *testing.T) {
	needBPF(t)
	_, err := Observe(math.MaxInt32, Options{})
	require.ErrorIs(t, err, ErrNoProcess)

	p := startTarget(t, "hogs")
	for _, tid := range threadsOf(t, p.pid) {
		if int(tid) != p.pid {
			_, err := Observe(int(tid), Options{})
			require.ErrorIs(t, err, ErrNoProcess, "a thread is no process")
		}
	}

	dead := exec.Command("true")
	require.NoError(t, dead.Start())
	poll(t, "end of a process", func() bool {
		stat, err := os.ReadFile(procFile(dead.Process.Pid, "stat"))
		require.NoError(t, err)
		return strings.Contains(string(stat), ") Z ")
	})
	_, err = Observe(dead.Process.Pid, Options{})
	require.ErrorIs(t, err, ErrNoProcess, "one that is dead")
	require.NoError(t, dead.Wait())
}

func TestObserveChurn(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "churn", "2000")
	w := observe(t, p.pid, Options{})
	p.proceed(t)
	p.read(t)
	trace := w.look()
	// Nothing is lost where this is the only observation of the machine. Others, at
	// work at the same time, can cost it a thread or the sight of some wake-ups.
	missed := trace.Loss.MapFull + trace.Loss.Skipped
	assert.LessOrEqual(t, missed, uint64(5))
	assert.LessOrEqual(t, trace.Loss.UnmatchedWake, uint64(100))
	sleepers := make(map[contention.ThreadID]bool)
	for _, wait := range w.seen.Waits {
		if wait.Resource.Kind == contention.Timer {
			sleepers[wait.Thread] = true
		}
	}
	var lived int
	for _, thread := range trace.Threads {
		if thread.PID == p.pid {
			lived++
		}
	}
	assert.InDelta(t, 2001, lived, float64(missed), "each thread, and the first")
	assert.Greater(t, len(sleepers), 1900, "a nap whose timer fires early enough is no wait")
	w.look() // the last one to end may be mentioned once more
	for _, thread := range w.look().Threads {
		assert.False(t, sleepers[thread.ID()], "one that ended is not forgotten: %v", thread)
	}
}

// A sleep that signals cut into pieces is restarted without its arguments, and is
// still the same sleep.
func TestObserveRestartedCall(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "signal")
	w := observe(t, p.pid, Options{})
	for _, wait := range w.waits(10, by(uint64(p.pid))) {
		assert.Equal(t, contention.Timer, wait.Resource.Kind)
		assert.Equal(t, contention.WokenByThread, wait.Waker.Kind)
		assert.False(t, wait.Waker.SameObject)
	}
}

func TestObserveStoppedTarget(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1")
	w := observe(t, p.pid, Options{})
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
	poll(t, "stop", func() bool {
		stat, err := os.ReadFile(procFile(p.pid, "stat"))
		require.NoError(t, err)
		return strings.Contains(string(stat), ") T ")
	})
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGCONT))
	w.look()
	w.waits(len(w.seen.Waits)+10, func(contention.Wait) bool { return true })
	assert.Zero(t, w.look().Loss.UnmatchedWake)
}

func TestObservationAfterClose(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "2")
	o, err := Observe(p.pid, Options{})
	require.NoError(t, err)
	require.NoError(t, o.Close())
	require.NoError(t, o.Close())
	_, err = o.Cut(contention.Window{})
	require.Error(t, err)
}

func TestWaitsAddUpToTheWindow(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1")
	w := observe(t, p.pid, Options{})
	waits := w.waits(50, by(uint64(p.pid)))
	// Those that a CPU holds back come later than those of another.
	slices.SortFunc(waits, func(a, b contention.Wait) int { return cmp.Compare(a.Begin, b.Begin) })
	for i := 1; i < len(waits); i++ {
		assert.GreaterOrEqual(t, waits[i].Begin, waits[i-1].Ran, "one thread waits for one thing at a time")
	}
}

// A thread that was missed when it was born is found again when the window is cut.
func TestObserveFindsWhatItMissed(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "churn", "1")
	w := observe(t, p.pid, Options{})
	forgetThread(t, w.attachment, p.pid)
	known := func() bool {
		totals, err := w.attachment.threads()
		require.NoError(t, err)
		return slices.ContainsFunc(totals, func(t bpf.ThreadTotals) bool { return int(t.Thread.Tid) == p.pid })
	}
	require.False(t, known())
	require.NoError(t, w.findMissed(0))
	require.False(t, known(), "nothing was missed, so nobody looks")
	require.NoError(t, w.findMissed(1))
	assert.True(t, known())
}
