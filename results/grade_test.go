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

// The threads of a circle are named by one finding, in any order, and nobody beside
// them.
func TestVerdictOnDeadlocks(t *testing.T) {
	truth := guilty(1, 2)
	truth.Class = contention.Deadlock
	for name, c := range map[string]struct {
		findings []contention.Finding
		want     Verdict
	}{
		"all in one finding":       {[]contention.Finding{accuse(2, 1)}, Hit},
		"others after them":        {[]contention.Finding{accuse(1, 2), accuse(3)}, Hit},
		"others before them":       {[]contention.Finding{accuse(3), accuse(1, 2)}, Miss},
		"one by one":               {[]contention.Finding{accuse(1), accuse(2)}, Miss},
		"a victim beside them":     {[]contention.Finding{accuse(1, 2, 3)}, Miss},
		"one of them":              {[]contention.Finding{accuse(1)}, Miss},
		"after an informing find":  {[]contention.Finding{inform(contention.External, 3), accuse(1, 2)}, Hit},
		"nobody, then all":         {[]contention.Finding{accuse(), accuse(1, 2)}, Miss},
		"a victim in place of one": {[]contention.Finding{accuse(1, 3)}, Miss},
		"nothing":                  {nil, Miss},
	} {
		assert.Equal(t, c.want, graded(truth, fault, false, c.findings...).Verdict, name)
	}
	alone := guilty(1)
	alone.Class = contention.Deadlock
	assert.Equal(t, Hit, graded(alone, fault, false, accuse(1)).Verdict, "a thread that locks itself up")
}

// A thread that is gone is not to be named; that nobody is, is the answer.
func TestVerdictOnNobody(t *testing.T) {
	truth := Truth{Class: contention.LockHolder, Nobody: true}
	of := func(class contention.Class) contention.Finding {
		f := accuse()
		f.Class = class
		return f
	}
	for name, c := range map[string]struct {
		findings []contention.Finding
		want     Verdict
		rank     int
	}{
		"nobody named":       {[]contention.Finding{accuse(), accuse(1)}, Hit, 1},
		"somebody named":     {[]contention.Finding{accuse(1), accuse()}, Miss, 2},
		"of another class":   {[]contention.Finding{of(contention.LostWakeup)}, Miss, 1},
		"nothing accused":    {[]contention.Finding{of(contention.External)}, Miss, 0},
		"after what informs": {[]contention.Finding{of(contention.Contended), accuse()}, Hit, 1},
	} {
		g := graded(truth, fault, false, c.findings...)
		assert.Equal(t, c.want, g.Verdict, name)
		assert.Equal(t, c.rank, g.Ranks.Thread, name)
	}
	assert.Equal(t, 1.0, accuracyAt(1, truth, accusedThreads([]contention.Finding{accuse(), accuse(1)})))
	assert.Zero(t, accuracyAt(1, truth, accusedThreads([]contention.Finding{accuse(1), accuse()})))
	assert.Equal(t, 1.0, accuracyAt(3, truth, accusedThreads([]contention.Finding{accuse(1), accuse()})))
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
