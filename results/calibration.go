// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Calibration says whether a confidence means something: whether of the accusations that
// are made with 0.9, nine of ten are right.
type Calibration struct {
	// Accusations is how many there are in valid runs of every variant.
	Accusations int `json:"accusations"`
	// Bins divide them by confidence into tenths; those without any are left out.
	Bins []ConfidenceBin `json:"bins"`
	// Brier is the mean of (confidence − right)², where right is 1 or 0; Constant is what
	// the best constant confidence, the share of right ones, would have.
	Brier    float64 `json:"brier"`
	Constant float64 `json:"brier_of_constant"`
	// Skill is 1 − Brier/Constant: 1 is perfect, 0 as good as the constant, below 0 worse.
	// It is nil where all accusations are right, or none: a constant is then perfect.
	Skill *float64 `json:"brier_skill,omitempty"`
	// Error is the mean distance between confidence and share right, over accusations.
	Error float64 `json:"expected_error"`
}

// ConfidenceBin are the accusations with a confidence in [Low, Low + 0.1).
type ConfidenceBin struct {
	Low        float64    `json:"low"`
	Confidence float64    `json:"confidence"` // the mean
	Right      Proportion `json:"right"`
}

// bins is into how many confidences are divided.
const bins = 10

// Calibrate holds the confidence of every accusation against whether it is right: whether
// all whom it names are true culprits or, where nobody can be named, whether it names
// nobody and has the right class.
func Calibrate(records []Record) Calibration {
	var sums [bins]struct {
		confidence float64
		right, n   int
	}
	var c Calibration
	right := 0
	for _, r := range valid(records, func(Record) bool { return true }) {
		for _, f := range kept(r.Findings) {
			if !f.Class.Accuses() {
				continue
			}
			isRight := isFault(r) && accusesRightly(r.Truth, f)
			b := &sums[min(max(int(f.Confidence*bins), 0), bins-1)]
			b.n++
			b.confidence += f.Confidence
			if isRight {
				b.right++
				right++
			}
			c.Accusations++
			c.Brier += math.Pow(f.Confidence-one(isRight), 2)
		}
	}
	if c.Accusations == 0 {
		return c
	}
	total := float64(c.Accusations)
	rate := float64(right) / total
	c.Brier /= total
	c.Constant = rate * (1 - rate)
	if c.Constant > 0 {
		skill := 1 - c.Brier/c.Constant
		c.Skill = &skill
	}
	for i, b := range sums {
		if b.n == 0 {
			continue
		}
		bin := ConfidenceBin{
			Low: float64(i) / bins, Confidence: b.confidence / float64(b.n), Right: Wilson(float64(b.right), b.n),
		}
		c.Bins = append(c.Bins, bin)
		c.Error += float64(b.n) / total * math.Abs(bin.Confidence-bin.Right.Value)
	}
	return c
}

// NamedCalibration is that of an analyser. Name is NAME@* for all answers of one that was
// tried with degraded traces too.
type NamedCalibration struct {
	Name string `json:"name"`
	Calibration
}

// allAnswers is what is added to the name of an analyser to mean all answers of it.
const allAnswers = "@*"

// calibrations leaves out analysers that never state a confidence.
func calibrations(f *Folder) []NamedCalibration {
	list := []NamedCalibration{}
	add := func(name string, records []Record) {
		if c := Calibrate(records); slices.ContainsFunc(c.Bins, func(b ConfidenceBin) bool { return b.Confidence > 0 }) {
			list = append(list, NamedCalibration{name, c})
		}
	}
	families := map[string][]string{}
	for _, analyzer := range f.Plan.Analyzers {
		add(analyzer, f.Select("", analyzer))
		base, _, _ := strings.Cut(analyzer, "@")
		families[base] = append(families[base], analyzer)
	}
	for _, base := range sortedKeys(families) {
		if len(families[base]) < 2 {
			continue
		}
		var all []Record
		for _, analyzer := range families[base] {
			all = append(all, f.Select("", analyzer)...)
		}
		add(base+allAnswers, all)
	}
	return list
}

// WriteCalibration prints how far the confidences of each analyser can be relied on, as
// the numbers of a reliability diagram.
func WriteCalibration(w io.Writer, s Scores) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(s.Calibrations) > 0 {
		fmt.Fprint(t, "\nANALYZER\tCONFIDENCE\tMEAN\tRIGHT\tACCUSATIONS\tERROR\tBRIER\tOF A CONSTANT\tSKILL\n")
	}
	for _, c := range s.Calibrations {
		for i, b := range c.Bins {
			analyzer, all := "", []string{"", "", "", ""}
			if i == 0 {
				analyzer, all = c.Name, c.row()
			}
			row := []string{analyzer, fmt.Sprintf("%.1f–%.1f", b.Low, b.Low+1.0/bins), fmt.Sprintf("%.2f", b.Confidence), b.Right.String(), fmt.Sprint(b.Right.N)}
			fmt.Fprintln(t, strings.Join(append(row, all...), "\t"))
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}

// row are the figures over all bins.
func (c Calibration) row() []string {
	return []string{
		fmt.Sprintf("%.3f", c.Error), fmt.Sprintf("%.3f", c.Brier), fmt.Sprintf("%.3f", c.Constant), optional(c.Skill),
	}
}
