// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// chooser makes the choices of a generator: at random, or as bytes say.
type chooser interface{ IntN(n int) int }

// bytes chooses by a list of bytes, and 0 where it is at its end.
type bytes struct{ rest []byte }

func (b *bytes) IntN(n int) int {
	if len(b.rest) == 0 {
		return 0
	}
	v := int(b.rest[0])
	b.rest = b.rest[1:]
	if n > 256 && len(b.rest) > 0 {
		v |= int(b.rest[0]) << 8
		b.rest = b.rest[1:]
	}
	return v % n
}

// kinds are some of each nature.
var kinds = []contention.Kind{
	contention.Mutex, contention.Futex, contention.Pipe, contention.CondVar, contention.KernelMutex,
	contention.Timer, contention.Disk, contention.Poll, contention.Semaphore, "unheard-of",
}

func someThread(c chooser) contention.ThreadID {
	return contention.ThreadID{TID: 1 + c.IntN(6), Start: time.Duration(1+c.IntN(8)/7) * time.Second}
}

func someResource(c chooser) contention.Resource {
	return contention.Resource{Kind: kinds[c.IntN(len(kinds))], Address: contention.Address(c.IntN(3)), PID: ours}
}

func someTime(c chooser) time.Duration { return origin + time.Duration(c.IntN(1200)-100)*ms }

func someWaker(c chooser) contention.Waker {
	return contention.Waker{
		Kind: contention.WakerKind(c.IntN(4)), Thread: someThread(c), SameObject: c.IntN(2) == 0,
		Stack: contention.StackID(c.IntN(6) - 1),
	}
}

// frame is the trace that random events are put into: two of its threads have the
// same tid, one is of another process, one is the observer's.
func frame() *contention.Trace {
	t := &contention.Trace{
		Window:   contention.Window{Begin: origin, End: origin + 1000*ms},
		Observer: 77,
		Stacks: []contention.Stack{
			nil, {{Function: "a", Module: "prog"}}, {{Function: "b", Module: "prog"}, {Function: "main"}}, {{Function: "c"}},
		},
	}
	for tid := 1; tid <= 5; tid++ {
		t.Threads = append(t.Threads, contention.Thread{PID: ours, TID: tid, Comm: fmt.Sprint("w", tid), Start: time.Second})
	}
	return &contention.Trace{
		Window: t.Window, Observer: t.Observer, Stacks: t.Stacks,
		Threads: append(t.Threads,
			contention.Thread{PID: ours, TID: 1, Comm: "again", Start: 2 * time.Second},
			contention.Thread{PID: 55, TID: 6, Comm: "other", Start: time.Second},
			contention.Thread{PID: 77, TID: 6, Comm: "tool", Start: 2 * time.Second}),
	}
}

// garbage is any events at all: several waits of a thread at once, ends before
// beginnings, wake-ups by the sleeper itself.
func garbage(c chooser) *contention.Trace {
	t := frame()
	for range c.IntN(40) {
		w := contention.Wait{
			Thread: someThread(c), Resource: someResource(c), Begin: someTime(c), Waker: someWaker(c),
			Owner: c.IntN(8), Stack: contention.StackID(c.IntN(6) - 1), Occupant: someThread(c),
			Occupied: time.Duration(c.IntN(20)) * ms, Late: contention.LateLook(c.IntN(16)),
		}
		if c.IntN(6) > 0 {
			w.Woken = w.Begin + time.Duration(c.IntN(400)-20)*ms
			w.Ran = w.Woken + time.Duration(c.IntN(30)-5)*ms
		}
		t.Waits = append(t.Waits, w)
	}
	for range c.IntN(10) {
		p := contention.Preemption{
			Thread: someThread(c), Begin: someTime(c), Occupant: someThread(c), Occupied: time.Duration(c.IntN(50)) * ms,
			Throttled: c.IntN(5) == 0,
		}
		p.Ran = p.Begin + time.Duration(c.IntN(200)-20)*ms
		t.Preemptions = append(t.Preemptions, p)
	}
	for range c.IntN(10) {
		t.Samples = append(t.Samples, contention.Sample{Thread: someThread(c), At: someTime(c), Stack: contention.StackID(c.IntN(6) - 1)})
	}
	for range c.IntN(6) {
		t.Exits = append(t.Exits, contention.Exit{Thread: someThread(c), At: someTime(c)})
	}
	t.Loss.RingFull = uint64(c.IntN(3))
	return t
}

// plausible is what could have been: a thread does one thing at a time, and is woken
// by another that is awake.
func plausible(c chooser) *contention.Trace {
	t := frame()
	for _, thread := range t.Threads[:5] {
		for at := origin - time.Duration(c.IntN(100))*ms; at < origin+1000*ms; {
			at += time.Duration(c.IntN(60)) * ms
			length := time.Duration(1+c.IntN(90)) * ms
			switch c.IntN(8) {
			case 0:
				t.Preemptions = append(t.Preemptions, contention.Preemption{
					Thread: thread.ID(), Begin: at, Ran: at + length, Occupant: someThread(c), Occupied: length / 2, Stack: 1,
				})
			case 1:
				t.Samples = append(t.Samples, contention.Sample{Thread: thread.ID(), At: at, Stack: contention.StackID(1 + c.IntN(3))})
			default:
				w := contention.Wait{
					Thread: thread.ID(), Resource: someResource(c), Begin: at, Woken: at + length,
					Ran: at + length + time.Duration(c.IntN(3))*ms, Waker: someWaker(c), Owner: c.IntN(6),
					Stack: contention.StackID(c.IntN(4)), Occupant: someThread(c),
				}
				if w.Waker.Thread == w.Thread {
					w.Waker.Kind = contention.WokenByInterrupt
				}
				if w.Woken > origin+1000*ms {
					w.Woken, w.Ran, w.Waker, w.Late = 0, 0, contention.Waker{}, contention.LateLook(c.IntN(16))
				}
				t.Waits = append(t.Waits, w)
			}
			at += length + 3*ms
		}
	}
	return t
}

// forTraces runs a check on traces of every sort.
func forTraces(t *testing.T, check func(t *testing.T, random *rand.Rand, trace *contention.Trace)) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, generate := range map[string]func() *contention.Trace{
		"garbage":   func() *contention.Trace { return garbage(random) },
		"plausible": func() *contention.Trace { return plausible(random) },
		"program": func() *contention.Trace {
			return &simulate(random, contention.Futex, 2+random.IntN(5), 1+random.IntN(3), 8).Trace
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 300 {
				check(t, random, generate())
			}
		})
	}
}

func TestBlameIsConserved(t *testing.T) {
	forTraces(t, func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		if !assertConserved(t, Analyze(trace, Options{})) {
			t.FailNow()
		}
		// What is waited for each resource is charged over the accounts, passed over, or open.
		ix := newIndex(trace)
		b := explainAll(ix, nil)
		waited, entered := make(map[threadNo]time.Duration), make(map[threadNo]time.Duration)
		var open time.Duration
		for i := range ix.waits {
			if w := &ix.waits[i]; ix.objects[w.resource].nature != choice {
				waited[w.thread] += w.within(ix.window).length()
			}
		}
		for _, s := range ix.starvations(nil) {
			waited[s.thread] += s.span.length()
		}
		add := func(a *account) {
			var sum time.Duration
			for _, v := range a.victims.entries {
				entered[v.key] += v.value.time
				sum += v.value.time
			}
			require.Equal(t, a.blame, sum, "an account is what its victims lost")
		}
		for _, a := range b.accounts {
			add(a)
		}
		for _, a := range b.external {
			add(a)
		}
		for thread, d := range waited {
			require.GreaterOrEqual(t, d, entered[thread], "no victim lost more than it waited")
			open += d - entered[thread]
		}
		require.Equal(t, b.totals.Open, open)
	})
}

func clone(t *contention.Trace) *contention.Trace {
	c := *t
	c.Threads, c.Waits = slices.Clone(t.Threads), slices.Clone(t.Waits)
	c.Preemptions, c.Samples = slices.Clone(t.Preemptions), slices.Clone(t.Samples)
	c.Stacks, c.Exits = slices.Clone(t.Stacks), slices.Clone(t.Exits)
	return &c
}

func TestOrderDoesNotMatter(t *testing.T) {
	forTraces(t, func(t *testing.T, random *rand.Rand, trace *contention.Trace) {
		trace.Waits = append(trace.Waits, trace.Waits[:len(trace.Waits)/4]...) // some twice
		want := Analyze(trace, Options{MinShare: 1e-9})
		shuffled := clone(trace)
		shuffle(random, shuffled.Waits)
		shuffle(random, shuffled.Threads)
		shuffle(random, shuffled.Preemptions)
		shuffle(random, shuffled.Samples)
		shuffle(random, shuffled.Exits)
		require.Equal(t, want, Analyze(shuffled, Options{MinShare: 1e-9}))
	})
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func TestSameAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, trace := range []*contention.Trace{garbage(random), plausible(random), &convoy(mutex(1), 9, 9*ms, 9*ms, 9*ms).Trace} {
		want := Analyze(trace, Options{MinShare: 1e-9})
		for range 20 {
			require.Equal(t, want, Analyze(trace, Options{MinShare: 1e-9}))
		}
	}
}

func TestTraceIsLeftAsItIs(t *testing.T) {
	forTraces(t, func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		before := clone(trace)
		Analyze(trace, Options{})
		require.Equal(t, before, trace)
	})
}

func TestNamesDoNotMatter(t *testing.T) {
	forTraces(t, func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		want := Analyze(trace, Options{MinShare: 1e-9})
		renamed := clone(trace)
		for i := range renamed.Threads {
			renamed.Threads[i].Comm = ""
		}
		for i, s := range renamed.Stacks {
			renamed.Stacks[i] = slices.Clone(s)
			for j := range renamed.Stacks[i] {
				renamed.Stacks[i][j] = contention.Frame{Function: "pthread_mutex_lock", Module: "x"}
			}
		}
		got := Analyze(renamed, Options{MinShare: 1e-9})
		require.Equal(t, nameless(want), nameless(got))
	})
}

// nameless takes all names out of an analysis. By the names of its functions one stack
// is told from another, so of these only what they come to is left.
func nameless(a contention.Analysis) contention.Analysis {
	for i := range a.Charges {
		a.Charges[i].Thread.Comm = ""
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Culprit != nil {
			f.Culprit.Comm = ""
		}
		for j := range f.Culprits {
			f.Culprits[j].Comm = ""
		}
		for j := range f.Victims {
			f.Victims[j].Comm, f.Victims[j].Stack = "", nil
		}
		weight := make(map[contention.Role]time.Duration)
		for _, s := range f.Stacks {
			weight[s.Role] += s.Weight
		}
		f.Stacks = nil
		for _, role := range slices.Sorted(maps.Keys(weight)) {
			f.Stacks = append(f.Stacks, contention.WeightedStack{Role: role, Weight: weight[role]})
		}
	}
	return a
}

func TestOnlyDifferencesOfTimesMatter(t *testing.T) {
	forTraces(t, func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		want := Analyze(trace, Options{MinShare: 1e-9})
		const later = 12345678 * time.Microsecond
		moved := clone(trace)
		moved.Window.Begin += later
		moved.Window.End += later
		for i := range moved.Waits {
			w := &moved.Waits[i]
			w.Begin += later
			if !w.Open() {
				w.Woken += later
				w.Ran += later
			}
		}
		for i := range moved.Preemptions {
			moved.Preemptions[i].Begin += later
			moved.Preemptions[i].Ran += later
		}
		for i := range moved.Samples {
			moved.Samples[i].At += later
		}
		for i := range moved.Exits {
			moved.Exits[i].At += later
		}
		require.Equal(t, want, Analyze(moved, Options{MinShare: 1e-9}))
	})
}

func anyThrottled(trace *contention.Trace) bool {
	return slices.ContainsFunc(trace.Preemptions, func(p contention.Preemption) bool { return p.Throttled })
}

func TestNobodyIsAccusedOfMakingItselfWait(t *testing.T) {
	forTraces(t, func(t *testing.T, _ *rand.Rand, trace *contention.Trace) {
		for _, f := range Analyze(trace, Options{}).Findings {
			if !f.Class.Accuses() || f.Class == contention.Deadlock {
				continue
			}
			require.NotEmpty(t, f.Victims)
			if f.Culprit == nil {
				nobody := f.Class == contention.LostWakeup || f.Class == contention.CPUStarvation && anyThrottled(trace)
				require.True(t, nobody || anyGone(trace), "who is at fault is there")
				continue
			}
			require.NotEqual(t, 77, f.Culprit.PID, "the observer")
			for _, v := range f.Victims {
				require.NotEqual(t, f.Culprit.ID(), v.ID())
			}
		}
	})
}

func anyGone(trace *contention.Trace) bool {
	return slices.ContainsFunc(trace.Waits, func(w contention.Wait) bool { return w.Late.Has(contention.OwnerGone) })
}

func FuzzAnalyze(f *testing.F) {
	f.Add([]byte{}, false)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 8 {
		seed := make([]byte, 600)
		for j := range seed {
			seed[j] = byte(random.IntN(256))
		}
		f.Add(seed, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, choices []byte, sane bool) {
		trace := garbage(&bytes{choices})
		if sane {
			trace = plausible(&bytes{choices})
		}
		got := Analyze(trace, Options{})
		assertConserved(t, got)
		trace = clone(trace)
		slices.Reverse(trace.Waits)
		slices.Reverse(trace.Preemptions)
		require.Equal(t, got, Analyze(trace, Options{}))
	})
}
