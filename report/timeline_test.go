// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// sample is a second in which thread 2 holds a lock for the first half and thread 1
// waits for it; thread 3 writes nothing down.
func sample() *ledger.Ledger {
	thread := func(tid int, entries ...ledger.Entry) ledger.Thread {
		return ledger.Thread{Thread: contention.Thread{PID: 9, TID: tid, Start: time.Second}, Entries: entries}
	}
	return &ledger.Ledger{
		Go: time.Second, Stop: 2 * time.Second,
		Resources: []ledger.Resource{
			{Resource: contention.Resource{Kind: contention.Pipe, Inode: 5}},
			{Resource: contention.Resource{Kind: contention.Mutex, Address: 0x10}},
		},
		Threads: []ledger.Thread{
			thread(3),
			thread(1, ledger.Entry{Kind: ledger.Waiting, Begin: time.Second, End: 1500 * time.Millisecond, Resource: 1}),
			thread(2, ledger.Entry{Kind: ledger.Holding, Begin: time.Second / 2, End: 1500 * time.Millisecond, Resource: 1},
				ledger.Entry{Kind: ledger.Holding, Begin: 3 * time.Second, Resource: 0}),
		},
	}
}

func accusing(tids ...int) []contention.Finding {
	var list []contention.Finding
	for _, tid := range tids {
		list = append(list, contention.Finding{Class: contention.LockHolder, Culprit: &contention.Thread{TID: tid, Comm: "w"}})
	}
	return list
}

func TestTimeline(t *testing.T) {
	r := results.Record{
		Truth: results.Truth{
			Culprits: []results.Culprit{{TID: 2, Start: time.Second}},
			Root:     []results.ThreadBlame{{TID: 2, Start: time.Second, Time: 300}, {TID: 1, Start: time.Second, Time: 100}},
			Decoys:   []results.Decoy{{TID: 3, Label: "most-cpu"}},
		},
		Charges:  []results.ThreadBlame{{TID: 3, Start: time.Second + 9*time.Millisecond, Time: 7}},
		Findings: append([]contention.Finding{{Class: contention.External}}, accusing(3)...),
	}
	tl := newTimeline(sample(), r, names{3: "w2"})
	assert.Equal(t, []string{"0 ns", "250 ms", "500 ms", "750 ms", "1 s"}, tl.Ticks)
	assert.Equal(t, []namedResource{{"A", "mutex 0x10"}}, tl.Resources, "the pipe lies outside of the window")
	require.Len(t, tl.Lanes, 3)

	culprit, accused, victim := tl.Lanes[0], tl.Lanes[1], tl.Lanes[2]
	assert.Equal(t, "2", culprit.Thread)
	assert.True(t, culprit.Culprit && culprit.Wrong(), "it was passed over")
	assert.Equal(t, 0.75, culprit.TrueShare)
	assert.Zero(t, culprit.FoundShare)
	assert.Equal(t, "held or worked on A for 500 ms, once", culprit.Summary)
	assert.Equal(t, "M0 8v-8h240v8z", culprit.Rows[0].Held)
	assert.Empty(t, culprit.Rows[0].Waited)

	assert.Equal(t, "w2 3", accused.Thread)
	assert.Equal(t, 1, accused.Accused, "what informs is no accusation")
	assert.True(t, accused.Wrong())
	assert.Equal(t, "most-cpu", accused.Decoy)
	assert.Equal(t, 1.0, accused.FoundShare)
	assert.Equal(t, "wrote nothing down", accused.Summary)

	assert.False(t, victim.Wrong())
	assert.Equal(t, "waited 500 ms for A, once", victim.Summary)
	assert.Equal(t, "M0 0v8h240v-8z", victim.Rows[0].Waited)
}

func TestTimelineShowsTheInvolvedOfManyThreads(t *testing.T) {
	l := sample()
	for tid := 10; tid < 10+mostLanes; tid++ {
		l.Threads = append(l.Threads, ledger.Thread{Thread: contention.Thread{TID: tid}})
	}
	last := 10 + mostLanes - 1
	tl := newTimeline(l, results.Record{Findings: accusing(last)}, names{})
	assert.Len(t, tl.Lanes, mostLanes)
	assert.Equal(t, 3, tl.Hidden)
	assert.Equal(t, 1, tl.Lanes[0].Accused)
	assert.Equal(t, "1", tl.Lanes[1].Thread, "it waited")
}

func TestLetters(t *testing.T) {
	assert.Equal(t, "A", letterOf(0))
	assert.Equal(t, "Z", letterOf(25))
	assert.Equal(t, "A1", letterOf(26))
	assert.Equal(t, "B2", letterOf(53))
}
