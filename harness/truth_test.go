// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

const testPID = 100

// lock and stream are resources that are held and that are produced.
func lock(address contention.Address) ledger.Resource {
	return ledger.Resource{Resource: contention.Resource{Kind: contention.Mutex, Address: address, PID: testPID}}
}

// gathering is a resource that all who hold it must leave.
func gathering(address contention.Address) ledger.Resource {
	r := lock(address)
	r.Kind, r.AllLeave = contention.RWLock, true
	return r
}

func stream(inode uint64) ledger.Resource {
	return ledger.Resource{Resource: contention.Resource{Kind: contention.Pipe, Inode: inode}, OneWay: true}
}

func wait(r int, begin, end time.Duration) ledger.Entry {
	return ledger.Entry{Kind: ledger.Waiting, Begin: begin, End: end, Resource: r}
}

func hold(r int, begin, end time.Duration) ledger.Entry {
	return ledger.Entry{Kind: ledger.Holding, Begin: begin, End: end, Resource: r}
}

func work(r int, begin, end time.Duration) ledger.Entry {
	return ledger.Entry{Kind: ledger.Working, Begin: begin, End: end, Resource: r}
}

func thread(tid int, entries ...ledger.Entry) ledger.Thread {
	return ledger.Thread{Thread: contention.Thread{PID: testPID, TID: tid, Start: time.Second}, Entries: entries}
}

func culprit(t ledger.Thread) ledger.Thread {
	t.Culprit = true
	return t
}

// window100 is a ledger of the window from 1000 to 1100.
func window100(resources []ledger.Resource, threads ...ledger.Thread) *ledger.Ledger {
	return &ledger.Ledger{Go: 1000, Stop: 1100, Resources: resources, Threads: threads}
}

type blames = map[int]time.Duration

func byTID(list []results.ThreadBlame) blames {
	m := blames{}
	for _, b := range list {
		m[b.TID] += b.Time
	}
	return m
}

func TestTruth(t *testing.T) {
	locks := []ledger.Resource{lock(0x10), lock(0x20)}
	gatherings := []ledger.Resource{gathering(0x10), lock(0x20)}
	streams := []ledger.Resource{stream(1), stream(2), lock(0x10)}
	for name, test := range map[string]struct {
		ledger       *ledger.Ledger
		direct, root blames
		edges        []results.Edge
		unattributed time.Duration
	}{
		"one holder": {
			ledger: window100(locks,
				thread(1, hold(0, 1010, 1060)),
				thread(2, wait(0, 1020, 1060), hold(0, 1060, 1070)),
				thread(3, wait(0, 1030, 1070))),
			direct: blames{1: 70, 2: 10},
			root:   blames{1: 70, 2: 10},
			edges:  []results.Edge{{Waiter: 2, Holder: 1, Time: 40}, {Waiter: 3, Holder: 1, Time: 30}, {Waiter: 3, Holder: 2, Time: 10}},
		},
		"two holders one after the other, with a gap": {
			ledger: window100(locks,
				thread(1, hold(0, 1000, 1030)),
				thread(2, hold(0, 1032, 1050)),
				thread(3, wait(0, 1010, 1050))),
			direct:       blames{1: 20, 2: 18},
			root:         blames{1: 20, 2: 18},
			edges:        []results.Edge{{Waiter: 3, Holder: 1, Time: 20}, {Waiter: 3, Holder: 2, Time: 18}},
			unattributed: 2,
		},
		"two holders at once share evenly": {
			ledger: window100(locks,
				thread(1, hold(0, 1000, 1031)),
				thread(2, hold(0, 1000, 1031)),
				thread(3, wait(0, 1000, 1031))),
			direct: blames{1: 16, 2: 15},
			root:   blames{1: 16, 2: 15},
			edges:  []results.Edge{{Waiter: 3, Holder: 1, Time: 16}, {Waiter: 3, Holder: 2, Time: 15}},
		},
		"of holders who must all leave the last answers": {
			// 1 and 2 read, 4 writes once both have left; 3 comes behind 4.
			ledger: window100(gatherings,
				thread(1, hold(0, 1000, 1060)),
				thread(2, hold(0, 1000, 1020), hold(0, 1065, 1070)),
				thread(3, wait(0, 1015, 1065)),
				thread(4, wait(0, 1010, 1060), hold(0, 1060, 1065))),
			direct: blames{1: 95, 4: 5},
			root:   blames{1: 95, 4: 5},
			edges:  []results.Edge{{Waiter: 4, Holder: 1, Time: 50}, {Waiter: 3, Holder: 1, Time: 45}, {Waiter: 3, Holder: 4, Time: 5}},
		},
		"the last to come to a barrier is itself kept": {
			ledger: window100(gatherings,
				thread(1, hold(0, 1000, 1080), wait(1, 1010, 1050)),
				thread(2, hold(0, 1000, 1030), wait(0, 1030, 1080)),
				thread(3, hold(1, 1000, 1050))),
			direct: blames{1: 50, 3: 40},
			root:   blames{1: 30, 3: 60},
			edges:  []results.Edge{{Waiter: 2, Holder: 1, Time: 50}, {Waiter: 1, Holder: 3, Time: 40}},
		},
		"of those who never leave each answers": {
			ledger: window100(gatherings,
				thread(1, hold(0, 1000, 0)),
				thread(2, hold(0, 1000, 0)),
				thread(3, hold(0, 1000, 1090)),
				thread(4, wait(0, 1000, 1050))),
			direct: blames{1: 25, 2: 25},
			root:   blames{1: 25, 2: 25},
			edges:  []results.Edge{{Waiter: 4, Holder: 1, Time: 25}, {Waiter: 4, Holder: 2, Time: 25}},
		},
		"chain of locks": {
			// 3 waits for 2, which from 1020 to 1060 waits for 1.
			ledger: window100(locks,
				thread(1, hold(1, 1000, 1060)),
				thread(2, hold(0, 1010, 1070), wait(1, 1020, 1060)),
				thread(3, wait(0, 1015, 1070))),
			direct: blames{1: 40, 2: 55},
			root:   blames{1: 80, 2: 15},
			edges:  []results.Edge{{Waiter: 3, Holder: 2, Time: 55}, {Waiter: 2, Holder: 1, Time: 40}},
		},
		"a holder that waits for what nobody makes answers for it": {
			ledger: window100(streams,
				thread(1, work(0, 1090, 1095)),
				thread(2, hold(2, 1010, 1070), wait(0, 1020, 1060)),
				thread(3, wait(2, 1020, 1060))),
			direct:       blames{2: 40},
			root:         blames{2: 40},
			edges:        []results.Edge{{Waiter: 3, Holder: 2, Time: 40}},
			unattributed: 40,
		},
		"chain of pipes": {
			// 3 reads what 2 makes of what 1 makes.
			ledger: window100(streams,
				thread(1, work(0, 1000, 1080)),
				thread(2, wait(0, 1000, 1080), work(1, 1080, 1090)),
				thread(3, wait(1, 1000, 1090))),
			direct: blames{1: 80, 2: 90},
			root:   blames{1: 160, 2: 10},
			edges:  []results.Edge{{Waiter: 3, Holder: 2, Time: 90}, {Waiter: 2, Holder: 1, Time: 80}},
		},
		"producer asleep of its own accord": {
			ledger: window100(streams,
				thread(1, work(0, 1060, 1070)),
				thread(2, wait(0, 1000, 1070))),
			direct:       blames{1: 10},
			root:         blames{1: 10},
			edges:        []results.Edge{{Waiter: 2, Holder: 1, Time: 10}},
			unattributed: 60,
		},
		"chain of pipes to a sleeper": {
			ledger: window100(streams,
				thread(1, work(0, 1090, 1095)),
				thread(2, wait(0, 1000, 1050), work(1, 1050, 1060)),
				thread(3, wait(1, 1000, 1060))),
			direct:       blames{2: 10},
			root:         blames{2: 10},
			edges:        []results.Edge{{Waiter: 3, Holder: 2, Time: 10}},
			unattributed: 100,
		},
		"producer held up by a lock": {
			ledger: window100(streams,
				thread(1, hold(2, 1000, 1050)),
				thread(2, work(0, 1000, 1060), wait(2, 1010, 1050)),
				thread(3, wait(0, 1000, 1060))),
			direct: blames{1: 40, 2: 60},
			root:   blames{1: 80, 2: 20},
			edges:  []results.Edge{{Waiter: 3, Holder: 2, Time: 60}, {Waiter: 2, Holder: 1, Time: 40}},
		},
		"two that wait for each other's data": {
			ledger: window100(streams,
				thread(1, wait(0, 1000, 1040), work(1, 1050, 1060)),
				thread(2, wait(1, 1000, 1060), work(0, 1099, 1100))),
			direct:       blames{1: 10},
			root:         blames{1: 10},
			edges:        []results.Edge{{Waiter: 2, Holder: 1, Time: 10}},
			unattributed: 90,
		},
		"deadlock": {
			ledger: window100(locks,
				thread(1, hold(0, 1000, 0), wait(1, 1020, 0)),
				thread(2, hold(1, 1000, 0), wait(0, 1010, 0)),
				thread(3, wait(0, 1050, 0))),
			direct: blames{1: 140, 2: 80},
			root:   blames{1: 90, 2: 130},
			edges:  []results.Edge{{Waiter: 2, Holder: 1, Time: 90}, {Waiter: 1, Holder: 2, Time: 80}, {Waiter: 3, Holder: 1, Time: 50}},
		},
		"clipped to the window and open at its end": {
			ledger: window100(locks,
				thread(1, hold(0, 900, 0)),
				thread(2, wait(0, 950, 1040), wait(0, 1080, 0), wait(0, 1100, 1200))),
			direct: blames{1: 60},
			root:   blames{1: 60},
			edges:  []results.Edge{{Waiter: 2, Holder: 1, Time: 60}},
		},
		"who alone holds what it waits for waits for itself": {
			ledger: window100(locks,
				thread(1, hold(0, 1000, 1050), wait(0, 1010, 1050))),
			direct: blames{1: 40},
			root:   blames{1: 40},
			edges:  []results.Edge{{Waiter: 1, Holder: 1, Time: 40}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := TruthOf(test.ledger, scenarios.Scenario{}, contention.TwinVariant)
			assert.Equal(t, test.direct, byTID(got.Direct), "direct")
			assert.Equal(t, test.root, byTID(got.Root), "root")
			assert.Equal(t, test.edges, got.Edges)
			assert.Equal(t, sumOf(got.Direct)+test.unattributed, got.WaitTime, "conserved")
		})
	}
}

func TestTruthNamesCulpritsResourceAndDecoys(t *testing.T) {
	decoy := thread(3, wait(0, 1000, 1060))
	decoy.Decoy = "longest wait"
	l := window100([]ledger.Resource{lock(0x10), stream(1)},
		culprit(thread(1, hold(0, 1000, 1020))),
		culprit(thread(2, hold(0, 1020, 1060), wait(1, 1090, 1091))),
		decoy,
		thread(4, work(1, 1000, 1090)),
		thread(5, wait(1, 1000, 1090)))
	l.Threads[0].Operations, l.Threads[1].Switches, l.Threads[2].RunDelay = 3, 4, 5
	s := scenarios.Scenario{Class: contention.LockHolder, Functions: []string{"f"}}

	got := TruthOf(l, s, contention.FaultVariant)
	assert.Equal(t, contention.LockHolder, got.Class)
	require.Len(t, got.Culprits, 2)
	assert.Equal(t, results.Culprit{PID: testPID, TID: 2, Start: time.Second, Functions: []string{"f"}}, got.Culprits[0], "most to blame first")
	assert.Equal(t, 1, got.Culprits[1].TID)
	assert.Equal(t, lock(0x10).Resource, got.Resource, "the culprits', though more is waited for the other")
	assert.Equal(t, []results.Decoy{{TID: 3, Label: "longest wait"}}, got.Decoys)
	assert.Equal(t, 2, got.Holds)
	assert.Equal(t, 3, got.Waits)
	assert.Equal(t, uint64(3), got.Operations)
	assert.Equal(t, uint64(4), got.Switches)
	assert.Equal(t, time.Duration(5), got.RunDelay)

	assert.Empty(t, TruthOf(l, s, contention.TwinVariant).Class, "a twin has no class to find")
}

func TestTruthListsTheResourcesOfACircle(t *testing.T) {
	l := window100([]ledger.Resource{lock(0x10), lock(0x20), lock(0x30)},
		culprit(thread(1, hold(0, 1000, 0), wait(2, 1010, 1015), wait(1, 1020, 0))),
		culprit(thread(2, hold(1, 1000, 1200), wait(0, 1010, 1150))), // let go after the window
		thread(3, wait(2, 1050, 0)))
	s := scenarios.Scenario{Class: contention.Deadlock}
	got := TruthOf(l, s, contention.FaultVariant)
	assert.Equal(t, []contention.Resource{lock(0x20).Resource, lock(0x10).Resource}, got.Circle)
	assert.Empty(t, TruthOf(l, s, contention.TwinVariant).Circle)
}

// Of a thread that is gone the truth tells what it cost, and names nobody.
func TestTruthNamesNobodyWhoIsGone(t *testing.T) {
	l := window100([]ledger.Resource{lock(0x10)},
		culprit(thread(1, hold(0, 1000, 0))),
		thread(2, wait(0, 1000, 1060)))
	s := scenarios.Scenario{Class: contention.LockHolder, Unnamed: true}
	got := TruthOf(l, s, contention.FaultVariant)
	assert.True(t, got.Nobody)
	assert.Empty(t, got.Culprits)
	assert.Equal(t, blames{1: 60}, byTID(got.Root))
	assert.Equal(t, lock(0x10).Resource, got.Resource)
	assert.False(t, TruthOf(l, s, contention.TwinVariant).Nobody)
}

func TestTruthResourceOfAChainIsTheCulprits(t *testing.T) {
	l := window100([]ledger.Resource{stream(1), stream(2)},
		culprit(thread(1, work(0, 1000, 1080))),
		thread(2, wait(0, 1000, 1080), work(1, 1080, 1090)),
		thread(3, wait(1, 1000, 1090)))
	assert.Equal(t, stream(1).Resource, TruthOf(l, scenarios.Scenario{}, contention.FaultVariant).Resource)
}

// randomLedger has threads that do anything at any time on a few resources.
func randomLedger(random *rand.Rand, oneWay bool) *ledger.Ledger {
	l := &ledger.Ledger{Go: 1000, Stop: 1000 + time.Duration(1+random.IntN(500))}
	for i := range 1 + random.IntN(4) {
		r := lock(contention.Address(i + 1))
		r.OneWay = oneWay && random.IntN(2) == 0
		r.AllLeave = !r.OneWay && random.IntN(2) == 0
		l.Resources = append(l.Resources, r)
	}
	for i := range 1 + random.IntN(7) {
		t := thread(i + 1)
		for range random.IntN(12) {
			e := ledger.Entry{
				Kind:     ledger.Kind(1 + random.IntN(3)),
				Begin:    900 + time.Duration(random.IntN(700)),
				Resource: random.IntN(len(l.Resources)),
			}
			if random.IntN(8) > 0 {
				e.End = e.Begin + time.Duration(random.IntN(300))
			}
			t.Entries = append(t.Entries, e)
		}
		l.Threads = append(l.Threads, t)
	}
	return l
}

// waitedIn adds up the waits without the sweep.
func waitedIn(l *ledger.Ledger) time.Duration {
	var sum time.Duration
	for _, t := range l.Threads {
		for _, e := range t.Entries {
			if part, inside := e.Clip(l.Window()); inside && e.Kind == ledger.Waiting {
				sum += part.Length()
			}
		}
	}
	return sum
}

func sumOf(list []results.ThreadBlame) time.Duration {
	var sum time.Duration
	for _, b := range list {
		sum += b.Time
	}
	return sum
}

func TestBlameIsConserved(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		l := randomLedger(random, i%2 == 0)
		a := accountOf(l)
		direct, root := sumOf(a.blame(a.direct)), sumOf(a.blame(a.root))
		require.Equal(t, waitedIn(l), a.waited, "ledger %d", i)
		require.Equal(t, a.waited, direct+a.unattributed, "ledger %d: direct", i)
		require.Equal(t, direct, root, "ledger %d: root", i)
		var edges time.Duration
		for _, e := range edgeList(a.threads, a.edges) {
			edges += e.Time
		}
		require.Equal(t, direct, edges, "ledger %d: edges", i)
	}
}

func TestTruthDoesNotDependOnTheOrderOfThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 500 {
		l := randomLedger(random, true)
		want := TruthOf(l, scenarios.Scenario{}, contention.FaultVariant)
		random.Shuffle(len(l.Threads), func(i, j int) { l.Threads[i], l.Threads[j] = l.Threads[j], l.Threads[i] })
		require.Equal(t, want, TruthOf(l, scenarios.Scenario{}, contention.FaultVariant), "ledger %d", i)
	}
}

func TestALongChainEnds(t *testing.T) {
	// Each thread holds a lock and waits for the next one's.
	var l ledger.Ledger
	l.Go, l.Stop = 1000, 1100
	for i := range 2 * maxChain {
		l.Resources = append(l.Resources, lock(contention.Address(i+1)))
		t := thread(i+1, hold(i, 1000, 1100))
		if i > 0 {
			t.Entries = append(t.Entries, wait(i-1, 1000, 1100))
		}
		l.Threads = append(l.Threads, t)
	}
	got := TruthOf(&l, scenarios.Scenario{}, contention.FaultVariant)
	assert.Equal(t, got.WaitTime, sumOf(got.Root))
	assert.Equal(t, 1, got.Root[0].TID, "most of it goes to the end of the chain")
}

func TestWaysLeadToTheCulprit(t *testing.T) {
	guilty := thread(3, hold(1, 1000, 1100))
	guilty.Culprit = true
	l := ledger.Ledger{Go: 1000, Stop: 1200, Resources: []ledger.Resource{lock(1), lock(2)}, Threads: []ledger.Thread{
		thread(1, wait(0, 1000, 1100)),
		thread(2, hold(0, 1000, 1150), wait(1, 1000, 1100)),
		guilty,
		thread(4, wait(0, 1110, 1150)), // when 2 no longer waits for the culprit
	}}
	got := TruthOf(&l, scenarios.Scenario{}, contention.FaultVariant)
	assert.Equal(t, []results.Edge{{Waiter: 2, Holder: 3, Time: 200}, {Waiter: 1, Holder: 2, Time: 100}}, got.Ways)
	assert.Contains(t, got.Edges, results.Edge{Waiter: 4, Holder: 2, Time: 40})
}

func TestAThreadThatWaitsForItself(t *testing.T) {
	self := thread(1, hold(0, 1000, 1100), wait(0, 1000, 1100))
	self.Culprit = true
	l := ledger.Ledger{Go: 1000, Stop: 1100, Resources: []ledger.Resource{lock(1)}, Threads: []ledger.Thread{
		self, thread(2, wait(0, 1000, 1100)),
	}}
	got := TruthOf(&l, scenarios.Scenario{}, contention.FaultVariant)
	assert.Equal(t, []results.Edge{{Waiter: 1, Holder: 1, Time: 100}, {Waiter: 2, Holder: 1, Time: 100}}, got.Ways)
	assert.Equal(t, blames{1: 200}, byTID(got.Root))
}
