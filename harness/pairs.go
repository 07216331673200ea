// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// Twin is a twin that was played before, with the account that it left.
type Twin struct {
	Run    results.Run
	Ledger *ledger.Ledger
	Peer   string // that watched it; empty if none did
}

// pair names a fault and its twin.
type pair struct {
	scenario string
	seed     uint64
	dose     contention.Dose
}

func pairOf(r results.Run) pair { return pair{r.Scenario, r.Seed, r.Dose} }

// judged is a run that can be recorded, beside its twin if it is a fault that has one.
type judged struct {
	*outcome
	twin *bite
}

// pairs brings faults together with their twins, whichever is played first. Only
// what a twin's ledger says is kept of it; it can be believed if the twin's run is
// trusted.
type pairs struct {
	toCome map[pair]int // twins that the plan still holds
	twins  map[pair]*bite
	held   map[pair][]*outcome // faults that wait for their twin
}

func newPairs(plan results.Plan, before []Twin) *pairs {
	p := &pairs{toCome: map[pair]int{}, twins: map[pair]*bite{}, held: map[pair][]*outcome{}}
	for _, r := range plan.Runs {
		if r.Variant == contention.TwinVariant {
			p.toCome[pairOf(r)]++
		}
	}
	for _, t := range before {
		if key := pairOf(t.Run); p.toCome[key] == 0 {
			b := biteOf(accountOf(t.Ledger))
			p.twins[key] = &b
		}
	}
	return p
}

// add takes a run that was played and returns those that can now be recorded.
func (p *pairs) add(out *outcome) []judged {
	key := pairOf(out.run)
	switch {
	case out.run.Variant == contention.TwinVariant:
		return p.addTwin(key, out)
	case out.run.Variant == contention.FaultVariant && out.ruling.valid() && p.twins[key] == nil && p.toCome[key] > 0:
		p.held[key] = append(p.held[key], out)
		return nil
	default:
		return []judged{{out, p.twins[key]}}
	}
}

func (p *pairs) addTwin(key pair, out *outcome) []judged {
	p.toCome[key]--
	if out.ruling.valid() && p.twins[key] == nil {
		b := biteOf(out.played.account)
		p.twins[key] = &b
	}
	ready := []judged{{out, nil}}
	if p.twins[key] == nil && p.toCome[key] > 0 {
		return ready
	}
	for _, fault := range p.held[key] {
		ready = append(ready, judged{fault, p.twins[key]})
	}
	delete(p.held, key)
	return ready
}
