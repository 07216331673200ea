// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Question is a scenario as a plan knows it.
type Question struct {
	Scenario string
	// Variants are played in turns.
	Variants []contention.Variant
	// Doses are those to play it at, each with the same seeds.
	Doses []contention.Dose
}

// PlanOptions says what to plan.
type PlanOptions struct {
	RunID     string
	Questions []Question
	// Count is how many seeds each scenario is played with, from Seed upwards.
	Count int
	Seed  uint64
	// Analyzers are those that grade each run; the first decides the outcome.
	Analyzers []string
}

// NewPlan lists every run of every scenario, dose, variant and seed. The fault and the twin
// of a seed and dose stand close together and scenarios take turns, so that a change of the
// machine's mood in the course of a plan falls on all alike; which of fault and twin
// comes first alternates.
func NewPlan(o PlanOptions) (Plan, error) {
	if err := o.check(); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	plan := Plan{Schema: PlanSchema, RunID: o.RunID, Analyzers: slices.Clone(o.Analyzers), Runs: []Run{}}
	for n := range o.Count {
		for dose := range mostDoses(o.Questions) {
			plan.addRound(o.Questions, dose, n, o.Seed+uint64(n))
		}
	}
	return plan, nil
}

// addRound plans all variants of the scenarios that have a dose of that number.
func (p *Plan) addRound(list []Question, dose, turn int, seed uint64) {
	rounds := passes(list)
	for pass := range rounds {
		for i, s := range list {
			if dose >= len(s.Doses) {
				continue
			}
			if variant, ok := playedIn(pass, rounds, turn+dose+i, s.Variants); ok {
				p.Runs = append(p.Runs, Run{
					Index: len(p.Runs), Scenario: s.Scenario, Variant: variant, Seed: seed, Dose: s.Doses[dose],
				})
			}
		}
	}
}

func mostDoses(list []Question) int {
	n := 0
	for _, s := range list {
		n = max(n, len(s.Doses))
	}
	return n
}

func (o PlanOptions) check() error {
	names := make([]string, len(o.Questions))
	for i, s := range o.Questions {
		names[i] = s.Scenario
		if err := s.checkDoses(); err != nil {
			return err
		}
	}
	switch {
	case o.RunID == "":
		return errors.New("no run id")
	case len(o.Questions) == 0:
		return errors.New("no scenarios")
	case o.Count < 1:
		return fmt.Errorf("count %d: want at least 1", o.Count)
	case o.Seed+uint64(o.Count) < o.Seed:
		return fmt.Errorf("seed %d: no room for %d seeds above it", o.Seed, o.Count)
	case len(o.Analyzers) == 0:
		return errors.New("no analyzers")
	}
	if twice := repeated(names); twice != "" {
		return fmt.Errorf("scenario %s is named twice", twice)
	}
	if twice := repeated(o.Analyzers); twice != "" {
		return fmt.Errorf("analyzer %s is named twice", twice)
	}
	return nil
}

func (q Question) checkDoses() error {
	if len(q.Doses) == 0 {
		return fmt.Errorf("scenario %s has no dose", q.Scenario)
	}
	for i, d := range q.Doses {
		if slices.Contains(q.Doses[:i], d) {
			return fmt.Errorf("scenario %s has dose %+v twice", q.Scenario, d)
		}
	}
	return nil
}

// passes is how often one seed goes through the scenarios.
func passes(list []Question) int {
	n := 0
	for _, s := range list {
		n = max(n, len(s.Variants))
	}
	return n
}

// playedIn returns the variant of a scenario that falls on a pass; turn shifts the
// order of the variants. A scenario with fewer variants than rounds sits some out.
func playedIn(pass, rounds, turn int, variants []contention.Variant) (contention.Variant, bool) {
	if len(variants) == 1 {
		return variants[0], pass == turn%rounds
	}
	if pass >= len(variants) {
		return "", false
	}
	return variants[(pass+turn)%len(variants)], true
}

// repeated returns the first string that is in the list twice, empty if none is.
func repeated(list []string) string {
	seen := make(map[string]bool, len(list))
	for _, s := range list {
		if seen[s] {
			return s
		}
		seen[s] = true
	}
	return ""
}

// runIDTime is how a run id begins.
const runIDTime = "20060102T150405Z"

// NewRunID names a run by when and on which kernel it was started; id tells apart
// those started in one second: 20261130T131500Z-6.18.44-1f3a.
func NewRunID(start time.Time, release string, id uint16) string {
	version := fileSafe(release)
	if k, err := ParseKernel(release); err == nil {
		version = k.Version()
	}
	return fmt.Sprintf("%s-%s-%04x", start.UTC().Format(runIDTime), version, id)
}

// fileSafe keeps of s what may stand in a file name.
func fileSafe(s string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_':
			return r
		default:
			return '_'
		}
	}, s)
	if safe == "" {
		return "unknown"
	}
	return safe
}

// Count is with how many seeds a scenario is planned.
func (p Plan) Count(scenario string) int {
	seeds := map[uint64]bool{}
	for _, r := range p.Runs {
		if r.Scenario == scenario {
			seeds[r.Seed] = true
		}
	}
	return len(seeds)
}

// Swept reports whether a scenario is planned at several doses: to see from which on its
// fault is found, so that not to find it at the lowest is no failure.
func (p Plan) Swept() bool {
	first := map[string]contention.Dose{}
	for _, r := range p.Runs {
		if d, known := first[r.Scenario]; known && d != r.Dose {
			return true
		}
		first[r.Scenario] = r.Dose
	}
	return false
}

// Scenarios lists the scenarios of the plan in the order they first come.
func (p Plan) Scenarios() []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range p.Runs {
		if !seen[r.Scenario] {
			seen[r.Scenario] = true
			names = append(names, r.Scenario)
		}
	}
	return names
}
