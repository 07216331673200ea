// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// record gives the last ruling on a run, has the trace analysed if it is valid, and
// keeps one record an analyser.
func (r *runner) record(out *outcome, twin *bite) error {
	notes := out.beside(twin)
	base, err := r.base(out)
	if err != nil {
		return err
	}
	base.Reason = strings.Join(append(notes, out.reasons()...), "; ")
	var records []results.Record
	for _, a := range r.analyzers {
		record := base
		record.Analyzer = a.Name
		if out.ruling.valid() {
			grade(&record, out, a)
		}
		if err := r.Sink.Append(record); err != nil {
			return err
		}
		records = append(records, record)
	}
	r.progress.done++
	r.tell(out.run, records)
	return nil
}

// beside rules on a fault beside its twin and returns what else is to be noted.
func (o *outcome) beside(twin *bite) []string {
	if o.run.Variant != contention.FaultVariant || !o.ruling.valid() {
		return nil
	}
	fault := biteOf(o.played.account)
	o.ruling = bit(floorAt(o.scenario, o.run.Dose), fault, twin)
	if twin == nil {
		return []string{"not held against a twin"}
	}
	if o.ruling.valid() {
		o.ruling = likeTwin(fault, *twin)
	}
	if d := difference(fault.switches, twin.switches); math.Abs(d) > MaxTwinDifference {
		return []string{fmt.Sprintf("warning: switches of the twin differ by %+.0f %%", 100*d)}
	}
	return nil
}

func (o *outcome) reasons() []string {
	if o.ruling.reason == "" {
		return nil
	}
	return []string{o.ruling.reason}
}

// base is what the records of all analysers have in common. The ledger is kept too.
func (r *runner) base(out *outcome) (results.Record, error) {
	record := results.Record{
		Schema: results.RecordSchema, Run: out.run, Dropped: out.dropped, Verdict: out.ruling.verdict,
	}
	p := out.played
	if p == nil {
		return record, nil
	}
	data, err := json.Marshal(p.ledger)
	if err != nil {
		return record, fmt.Errorf("encode ledger: %w", err)
	}
	name, err := r.keep(r.ledgerName(out.run.Index), data)
	if err != nil {
		return record, err
	}
	record.Truth = p.account.truth(out.scenario, out.run.Variant)
	record.Truth.Ledger = name
	record.Timing = p.timing
	record.Overhead = p.cost
	record.Agreement = agreement(p.ledger, p.trace)
	if p.trace == nil {
		return record, nil
	}
	record.Loss = p.trace.Loss
	if r.KeepCapture {
		record.Capture, err = r.capture(out)
	}
	return record, err
}

// keep keeps a file under a free name, which it returns.
func (r *runner) keep(name string, data []byte) (string, error) {
	if r.Free != nil {
		var err error
		if name, err = r.Free(name); err != nil {
			return "", err
		}
	}
	return name, r.Sink.PutFile(name, data)
}

// ledgerName tells the ledgers of one planned run apart, which each peer plays again.
func (r *runner) ledgerName(index int) string {
	if r.peer == "" {
		return fmt.Sprintf("ledgers/%d.json.zst", index)
	}
	return fmt.Sprintf("ledgers/%d-%s.json.zst", index, strings.TrimPrefix(r.peer, results.PeerPrefix))
}

// answer is what the observation says itself, or else the analyser of its trace.
func (a Analyzer) answer(p *played) contention.Analysis {
	if p.answer != nil {
		return *p.answer
	}
	return a.Analyze(p.trace)
}

// grade has the trace analysed and puts into the record what the answer is worth.
func grade(record *results.Record, out *outcome, a Analyzer) {
	begin := time.Now()
	analysis := a.answer(out.played)
	record.Timing.Analyse = time.Since(begin)
	record.Totals, record.Charges = analysis.Totals, results.ChargesOf(analysis.Charges)
	if r := addsUp(analysis); !r.valid() {
		record.Verdict, record.Reason = r.verdict, r.reason
		return
	}

	g := results.Grade(record.Truth, out.run.Variant, analysis, out.scenario.Ordered)
	record.Verdict, record.Ranks, record.Blame = g.Verdict, g.Ranks, g.Blame
	record.Chain, record.DecoyFirst = g.Chain, g.DecoyFirst
	if g.Verdict == results.Hit && out.played.trace != nil {
		record.DetectedAfter = detectedAfter(out.played.trace, a.Analyze, record.Truth)
	}
	record.Findings = analysis.Findings[:min(len(analysis.Findings), results.MaxFindings)]
}

// addsUp checks that an analysis charged or set apart all waiting, and none twice.
func addsUp(a contention.Analysis) ruling {
	var charged time.Duration
	for _, c := range a.Charges {
		charged += c.Blame
	}
	t := a.Totals
	switch {
	case t.WaitTime != t.Blame+t.External+t.Open:
		return rule(results.Infra, "the analysis does not add up: waited %v, blame %v, external %v, open %v", t.WaitTime, t.Blame, t.External, t.Open)
	case charged != t.Blame:
		return rule(results.Infra, "the analysis does not add up: blame %v, charged %v", t.Blame, charged)
	default:
		return ruling{}
	}
}
