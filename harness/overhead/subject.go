// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// subject is an observer with what is known of it so far.
type subject struct {
	Observer
	out error // why it is not asked any more

	cpu, speed, p99 []results.Pair
	shares          []float64 // of one CPU, that its process used
	rss, maps       uint64
	loss            contention.Loss
	account         sample // of a run of which the kernel kept account
	unaccounted     error  // why it did not
}

// add takes a run and the unobserved one beside it.
func (s *subject) add(got, unobserved sample) {
	s.cpu = append(s.cpu, results.Pair{Over: float64(got.took.CPU), Under: float64(unobserved.took.CPU)})
	s.speed = append(s.speed, results.Pair{Over: float64(unobserved.took.Wall), Under: float64(got.took.Wall)})
	s.p99 = append(s.p99, results.Pair{Over: float64(got.took.P99), Under: float64(unobserved.took.P99)})
	s.shares = append(s.shares, got.used.CPU.Seconds()/got.span.Seconds())
	s.rss, s.maps = max(s.rss, got.used.RSSBytes), max(s.maps, got.used.MapBytes)
	s.loss = s.loss.Plus(got.loss)
}

// lines are those of all observers of which a block was whole, or which are out. The error
// names those that failed, as opposed to being absent, or to lacking the privilege that
// account takes.
func (m *measurement) lines() (lines []results.OverheadLine, failed error) {
	noise := m.subjects[0]
	for _, s := range m.subjects {
		if s.out != nil {
			lines = append(lines, absentLine(m.Load.Name(), s.Name, s.out))
			if !errors.Is(s.out, harness.ErrAbsent) {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name, s.out))
			}
			continue
		}
		if len(s.cpu) == 0 {
			continue
		}
		if s.unaccounted != nil && !errors.Is(s.unaccounted, os.ErrPermission) {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Name, s.unaccounted))
		}
		line, err := s.line(m.Load.Name(), noise, m.find(Empty))
		if err != nil {
			return lines, errors.Join(failed, fmt.Errorf("%s: %w", s.Name, err))
		}
		lines = append(lines, line)
	}
	return lines, failed
}

func absentLine(workload, observer string, why error) results.OverheadLine {
	return results.OverheadLine{Schema: results.OverheadSchema, Workload: workload, Observer: observer, Absent: why.Error()}
}

func (m *measurement) find(name string) *subject {
	for _, s := range m.subjects {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func (s *subject) line(workload string, noise, empty *subject) (results.OverheadLine, error) {
	ratio, err := results.RatioCI(s.cpu)
	if err != nil {
		return results.OverheadLine{}, err
	}
	floor, err := results.RatioCI(noise.cpu)
	if err != nil {
		return results.OverheadLine{}, err
	}
	share, _ := results.Quantile(s.shares, 0.5)
	line := results.OverheadLine{
		Schema: results.OverheadSchema, Workload: workload, Observer: s.Name,
		Ratio: ratio.Value, CI: [2]float64{ratio.Low, ratio.High}, Pairs: ratio.N,
		NoiseFloor: [2]float64{floor.Low, floor.High},
		Throughput: ratioOf(s.speed), P99: ratioOf(s.p99),
		CPUShare: share, RSSBytes: s.rss, MapBytes: s.maps, Loss: s.loss,
	}
	if empty != nil && s != noise && s != empty {
		line.TimesEmpty = timesOf(s.cpu, empty.cpu)
	}
	s.addAccount(&line)
	return line, nil
}

// ratioOf is nil where there is nothing to compare.
func ratioOf(pairs []results.Pair) *results.OverheadRatio {
	r, err := results.RatioCI(pairs)
	if err != nil {
		return nil
	}
	return &results.OverheadRatio{Ratio: r.Value, CI: [2]float64{r.Low, r.High}}
}

// timesOf is nil where it is not known whether the others add anything.
func timesOf(pairs, others []results.Pair) *results.OverheadRatio {
	r, err := results.AddedTimes(pairs, others)
	if err != nil || math.IsInf(r.High, 1) {
		return nil
	}
	return &results.OverheadRatio{Ratio: r.Value, CI: [2]float64{r.Low, r.High}}
}

// addAccount adds what the kernel kept account of, if it did.
func (s *subject) addAccount(line *results.OverheadLine) {
	seconds := s.account.span.Seconds()
	if seconds <= 0 {
		return
	}
	for name, p := range s.account.used.Programs {
		if p.Runs == 0 {
			continue
		}
		if line.NsPerEvent == nil {
			line.NsPerEvent = map[string]float64{}
		}
		line.NsPerEvent[name] = float64(p.Time) / float64(p.Runs)
		line.EventsPerSecond += float64(p.Runs) / seconds
		line.ProgramShare += p.Time.Seconds() / seconds
	}
}
