// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/os2026/ebpf-rca/contention"
)

// maxShards bounds into how many parts a plan is cut.
const maxShards = 10_000

// Shard names one of several parts into which a plan is cut.
type Shard struct {
	Number int `json:"number"` // from 1
	Of     int `json:"of"`
}

// ParseShard reads a shard as String writes it.
func ParseShard(text string) (Shard, error) {
	number, of, _ := strings.Cut(text, "/")
	n, errNumber := strconv.ParseUint(number, 10, 31)
	m, errOf := strconv.ParseUint(of, 10, 31)
	s := Shard{Number: int(n), Of: int(m)}
	if errNumber != nil || errOf != nil {
		return Shard{}, fmt.Errorf("shard %q: want I/N, as in 1/4", text)
	}
	return s, s.check()
}

func (s Shard) check() error {
	if s.Number < 1 || s.Number > s.Of || s.Of > maxShards {
		return fmt.Errorf("shard %v: want I/N with I from 1 to N and N at most %d", s, maxShards)
	}
	return nil
}

// String renders s as in 1/4.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// Part says which part of a larger plan a folder plays.
type Part struct {
	Shard
	// PlanID is the ID of the plan that was cut, and Rest the runs of all other parts,
	// so that any one folder knows what was planned.
	PlanID string `json:"plan_id"`
	Rest   []Run  `json:"rest"`
}

// ID is the same for plans of the same runs and analysers, whole or cut, whenever they
// were made.
func (p Plan) ID() string {
	whole := p.Whole()
	data, err := json.Marshal(struct {
		Analyzers []string
		Runs      []Run
	}{whole.Analyzers, whole.Runs})
	if err != nil {
		return "" // cannot be: they hold nothing that JSON cannot
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Whole is the plan that p is a part of; p itself if that was not cut.
func (p Plan) Whole() Plan {
	if p.Part == nil {
		return p
	}
	p.Runs = slices.Concat(p.Runs, p.Part.Rest)
	slices.SortStableFunc(p.Runs, func(a, b Run) int { return cmp.Compare(a.Index, b.Index) })
	p.Part = nil
	return p
}

// Cut returns one part of p. All variants of a scenario, seed and dose stay together.
// Each scenario's are dealt out over all parts, so that a part which is lost costs
// every scenario a little and none everything.
func (p Plan) Cut(s Shard) (Plan, error) {
	if err := s.check(); err != nil {
		return Plan{}, err
	}
	part := p
	part.Runs = []Run{}
	part.Part = &Part{Shard: s, PlanID: p.ID(), Rest: []Run{}}
	dealt := deal(p.Runs, s.Of)
	for _, r := range p.Runs {
		if dealt[questionOf(r)] == s.Number-1 {
			part.Runs = append(part.Runs, r)
		} else {
			part.Part.Rest = append(part.Part.Rest, r)
		}
	}
	if len(part.Runs) == 0 {
		return Plan{}, fmt.Errorf("shard %v: the plan can be cut into %d parts at most", s, len(dealt))
	}
	return part, nil
}

// question is what all variants of are played in one part.
type question struct {
	scenario string
	seed     uint64
	dose     contention.Dose
}

func questionOf(r Run) question { return question{r.Scenario, r.Seed, r.Dose} }

// deal gives each question to one of so many parts, in turn. Scenarios take turns in a
// plan; where that would bring a scenario to the same part each time, the turn moves on
// by one after every round in which all parts had all scenarios alike.
func deal(runs []Run, parts int) map[question]int {
	var list []question
	dealt := map[question]int{}
	scenarios := map[string]bool{}
	for _, r := range runs {
		scenarios[r.Scenario] = true
		if q := questionOf(r); !has(dealt, q) {
			dealt[q] = 0
			list = append(list, q)
		}
	}
	round := leastCommonMultiple(len(scenarios), parts)
	for i, q := range list {
		dealt[q] = (i + i/round) % parts
	}
	return dealt
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// leastCommonMultiple is at least 1.
func leastCommonMultiple(a, b int) int {
	for x, y := a, b; ; x, y = y, x%y {
		if y == 0 {
			return max(a/max(x, 1)*b, 1)
		}
	}
}

// checkPart makes sure that what is said of the plan that was cut is true.
func (p Plan) checkPart() error {
	if p.Part == nil {
		return nil
	}
	if err := p.Part.check(); err != nil {
		return err
	}
	if id := p.ID(); id != p.Part.PlanID {
		return fmt.Errorf("shard %v: its runs are not those of plan %s, with the rest they make %s", p.Part.Shard, p.Part.PlanID, id)
	}
	return nil
}
