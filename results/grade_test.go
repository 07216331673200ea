// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

const fault, twin, control = contention.FaultVariant, contention.TwinVariant, contention.ControlVariant

// thread makes thread tid of process 10; it started tid ticks and a bit after boot.
func thread(tid int) contention.Thread {
	return contention.Thread{PID: 10, TID: tid, Start: time.Duration(tid)*startTick + 3*time.Millisecond}
}

// accuse makes a lock-holder finding against threads of process 10.
func accuse(tids ...int) contention.Finding {
	f := contention.Finding{Class: contention.LockHolder, Resource: contention.Resource{Kind: contention.Mutex, Address: 1}}
	for _, tid := range tids {
		f.Culprits = append(f.Culprits, thread(tid))
	}
	if len(tids) > 0 {
		f.Culprit = &f.Culprits[0]
	}
	if len(tids) == 1 {
		f.Culprits = nil
	}
	return f
}

func inform(class contention.Class, tid int) contention.Finding {
	f := accuse(tid)
	f.Class = class
	return f
}

func victims(f contention.Finding, tids ...int) contention.Finding {
	for _, tid := range tids {
		f.Victims = append(f.Victims, contention.Victim{Thread: thread(tid)})
	}
	return f
}

// guilty makes a truth in which thread tid i answers for root[i] of blame; those
// with any are culprits, most guilty first as the harness may or may not list them.
func guilty(tids ...int) Truth {
	truth := Truth{Class: contention.LockHolder, Resource: contention.Resource{Kind: contention.Mutex, Address: 0x40}}
	for i, tid := range tids {
		start := time.Duration(tid) * startTick
		truth.Culprits = append(truth.Culprits, Culprit{PID: 10, TID: tid, Start: start, Functions: []string{"hold"}})
		truth.Root = append(truth.Root, ThreadBlame{TID: tid, Start: start, Time: time.Duration(100-i) * time.Second})
	}
	return truth
}

func graded(truth Truth, variant contention.Variant, ordered bool, findings ...contention.Finding) Graded {
	return Grade(truth, variant, contention.Analysis{Findings: findings}, ordered)
}

func TestVerdictOnFaults(t *testing.T) {
	for name, c := range map[string]struct {
		truth    Truth
		findings []contention.Finding
		ordered  bool
		want     Verdict
	}{
		"named first":                       {guilty(1), []contention.Finding{accuse(1), accuse(2)}, false, Hit},
		"named second":                      {guilty(1), []contention.Finding{accuse(2), accuse(1)}, false, Miss},
		"nobody named":                      {guilty(1), nil, false, Miss},
		"an informing finding comes before": {guilty(1), []contention.Finding{inform(contention.IO, 2), accuse(1)}, false, Hit},
		"named by an informing finding":     {guilty(1), []contention.Finding{inform(contention.External, 1)}, false, Miss},
		"an accusation of nobody before":    {guilty(1), []contention.Finding{accuse(), accuse(1)}, false, Miss},
		"both":                              {guilty(1, 2), []contention.Finding{accuse(2), accuse(1)}, false, Hit},
		"both, each twice":                  {guilty(1, 2), []contention.Finding{accuse(2), accuse(2), accuse(1)}, false, Hit},
		"both in order":                     {guilty(1, 2), []contention.Finding{accuse(1), accuse(2)}, true, Hit},
		"both in the wrong order":           {guilty(1, 2), []contention.Finding{accuse(2), accuse(1)}, true, Miss},
		"one of both":                       {guilty(1, 2), []contention.Finding{accuse(1), accuse(3), accuse(2)}, false, Miss},
		"all in one finding":                {guilty(1, 2), []contention.Finding{accuse(2, 1)}, false, Hit},
		"hidden in a crowd":                 {guilty(1), []contention.Finding{accuse(2, 3, 1)}, false, Miss},
		"no true culprit":                   {guilty(), nil, false, Miss},
	} {
		assert.Equal(t, c.want, graded(c.truth, fault, c.ordered, c.findings...).Verdict, name)
	}
}

func TestVerdictOnTwinsAndControls(t *testing.T) {
	for _, variant := range []contention.Variant{twin, control} {
		assert.Equal(t, CorrectReject, graded(Truth{}, variant, false).Verdict)
		assert.Equal(t, CorrectReject, graded(Truth{}, variant, false, inform(contention.Contended, 1)).Verdict)
		assert.Equal(t, FalseAlarm, graded(Truth{}, variant, false, accuse(1)).Verdict)
		assert.Equal(t, FalseAlarm, graded(Truth{}, variant, false, accuse()).Verdict, "nobody in particular")
	}
}

func TestThreadsMatchByTick(t *testing.T) {
	for _, c := range []struct {
		start time.Duration
		want  Verdict
	}{
		{0, Hit}, // unknown
		{20 * time.Millisecond, Hit},
		{20*time.Millisecond + 9999999, Hit},
		{30 * time.Millisecond, Miss},
		{19999999, Miss},
	} {
		f := accuse(2)
		f.Culprit.Start = c.start
		assert.Equal(t, c.want, graded(guilty(2), fault, false, f).Verdict, "start %v", c.start)
	}
}

func TestRanksAreIndependent(t *testing.T) {
	truth := guilty(1)
	truth.Edges = []Edge{{Waiter: 7, Holder: 1}}

	first := victims(accuse(2), 7) // innocent, but in the right process
	second := accuse(2)            // its stack shows the function
	second.Stacks = []contention.WeightedStack{{Role: contention.HoldingOnCPU, Frames: contention.Stack{{Function: "futex_wait"}, {Function: "hold.constprop.0"}}}}
	third := accuse(2)
	third.Class = contention.SlowProducer
	third.Resource = truth.Resource
	fourth := accuse(1)
	fifth := victims(accuse(1), 8, 7)

	g := graded(truth, fault, false, first, second, third, fourth, fifth)
	assert.Equal(t, Ranks{Class: 1, Process: 1, Thread: 2, Resource: 3, Frame: 2, Edge: 5}, g.Ranks,
		"the innocent thread's three findings are one place at thread level")
}

func TestRanksOfNothing(t *testing.T) {
	assert.Zero(t, graded(guilty(1), fault, false).Ranks)
	assert.Zero(t, graded(Truth{}, twin, false, accuse(1)).Ranks, "a twin has no truth to rank")
}

func TestResourcesMatchByAddressOrInode(t *testing.T) {
	mutex := contention.Resource{Kind: contention.Mutex, Address: 0x40}
	pipe := contention.Resource{Kind: contention.Pipe, Inode: 9}
	assert.True(t, sameResource(mutex, contention.Resource{Kind: contention.Mutex, Address: 0x40, Symbol: "m", PID: 3}))
	assert.False(t, sameResource(mutex, contention.Resource{Kind: contention.Futex, Address: 0x40}))
	assert.False(t, sameResource(mutex, contention.Resource{Kind: contention.Mutex, Address: 0x48}))
	assert.True(t, sameResource(pipe, contention.Resource{Kind: contention.Pipe, Inode: 9, Side: contention.ForRoom}))
	assert.False(t, sameResource(contention.Resource{Kind: contention.Mutex}, contention.Resource{Kind: contention.Mutex}))
	assert.False(t, sameResource(contention.Resource{}, contention.Resource{}))
}

func TestFunctionsMatchWhole(t *testing.T) {
	truth := guilty(1)
	assert.True(t, isTrueFunction(truth, "hold"))
	assert.False(t, isTrueFunction(truth, "holder"))
	assert.False(t, isTrueFunction(truth, ""))
}

func TestOnlyKeptFindingsCount(t *testing.T) {
	var findings []contention.Finding
	for tid := range MaxFindings {
		findings = append(findings, accuse(100+tid))
	}
	g := graded(guilty(1), fault, false, append(findings, accuse(1))...)
	assert.Zero(t, g.Ranks.Thread)
}

func TestDecoyFirst(t *testing.T) {
	truth := guilty(1)
	truth.Decoys = []Decoy{{TID: 2, Label: "waker"}}
	assert.True(t, graded(truth, fault, false, accuse(2), accuse(1)).DecoyFirst)
	assert.False(t, graded(truth, fault, false, accuse(1), accuse(2)).DecoyFirst)
	assert.False(t, graded(truth, fault, false, inform(contention.Contended, 2)).DecoyFirst)
}

func TestChain(t *testing.T) {
	truth := guilty(1)
	truth.Edges = []Edge{{Waiter: 3, Holder: 2}, {Waiter: 2, Holder: 1}, {Waiter: 4, Holder: 1}, {Waiter: 5, Holder: 1}}
	f := victims(accuse(1), 9)
	f.Chain = []contention.Hop{{Waiter: 3, Holder: 2}, {Waiter: 2, Holder: 1}, {Waiter: 2, Holder: 1}, {Waiter: 3, Holder: 1}}
	assert.Equal(t, Chain{Precision: 2.0 / 3, Recall: 0.5}, graded(truth, fault, false, f).Chain)
	assert.Equal(t, Chain{Precision: 1, Recall: 0.25}, graded(truth, fault, false, victims(accuse(1), 4)).Chain, "victims where there is no chain")
	assert.Zero(t, graded(truth, fault, false, inform(contention.External, 1)).Chain)
}

func TestBlame(t *testing.T) {
	truth := guilty(1, 2)
	truth.Root = []ThreadBlame{
		{TID: 1, Start: 10 * time.Millisecond, Time: 60},
		{TID: 2, Start: 20 * time.Millisecond, Time: 20},
		{TID: 3, Start: 30 * time.Millisecond, Time: 20},
	}
	charges := []contention.Charge{
		{Thread: thread(1), Blame: 40}, // half of it
		{Thread: thread(2), Blame: 20},
		{Thread: thread(4), Blame: 20},
	}
	b := Grade(truth, fault, contention.Analysis{Charges: charges}, false).Blame
	assert.EqualValues(t, 60, b.Found)
	assert.EqualValues(t, 80, b.True)
	assert.InDelta(t, 0.25, b.Error, 1e-12)
	assert.InDelta(t, (.10+.05+.20+.25)/2, b.TVDistance, 1e-12)
}

func TestTVDistanceAtTheEnds(t *testing.T) {
	root := []ThreadBlame{{TID: 1, Time: 5}}
	charges := []contention.Charge{{Thread: thread(1), Blame: 9}}
	assert.Equal(t, 0.0, tvDistance(nil, nil))
	assert.Equal(t, 1.0, tvDistance(root, nil))
	assert.Equal(t, 1.0, tvDistance(nil, charges))
	assert.Equal(t, 0.0, tvDistance(root, charges))
	assert.Equal(t, 1.0, tvDistance(root, []contention.Charge{{Thread: thread(2), Blame: 1}}))
	assert.Equal(t, 0.0, tvDistance(root, append(charges, contention.Charge{Thread: thread(2)})))
}

func TestChainPassesOverEdgesThatTookHardlyAnyTime(t *testing.T) {
	truth := []Edge{{Waiter: 2, Holder: 1, Time: time.Second}, {Waiter: 3, Holder: 2, Time: time.Microsecond}}
	f := accuse(1)
	f.Chain = []contention.Hop{
		{Waiter: 2, Holder: 1, Wait: time.Second},
		{Waiter: 1, Holder: 3, Wait: time.Microsecond},
	}
	assert.Equal(t, Chain{Precision: 1, Recall: 1}, chain(truth, []contention.Finding{f}))
	f.Chain[1].Wait = time.Second
	assert.Equal(t, Chain{Precision: 0.5, Recall: 1}, chain(truth, []contention.Finding{f}))
	truth[1].Time = time.Second
	assert.Equal(t, Chain{Precision: 0.5, Recall: 0.5}, chain(truth, []contention.Finding{f}))
}

func TestRegradeAgreesWithGrade(t *testing.T) {
	truth := guilty(1, 2)
	truth.Decoys = []Decoy{{TID: 3}}
	analysis := contention.Analysis{
		Findings: []contention.Finding{victims(accuse(3), 1), accuse(2)},
		Charges:  []contention.Charge{{Thread: thread(1), Blame: 150 * time.Second}},
	}
	g := Grade(truth, fault, analysis, true)
	stored := Record{
		Run: Run{Variant: fault}, Verdict: Hit, Truth: truth,
		Findings: analysis.Findings, Charges: ChargesOf(analysis.Charges), Blame: Blame{Error: 7, True: 7},
	}
	r := Regrade(stored, true)
	assert.Equal(t, g, Graded{Verdict: r.Verdict, Ranks: r.Ranks, Blame: r.Blame, Chain: r.Chain, DecoyFirst: r.DecoyFirst})

	stored.Verdict = Invalid
	assert.Equal(t, stored, Regrade(stored, true), "what is no verdict on the analysis stays")
}
