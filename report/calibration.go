// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// bins of confidence, equally wide.
const bins = 10

// calibration holds what accusations claim against how often they are right.
type calibration struct {
	Analyzer string
	Chart    chart
	N        int
	// Claimed is the mean confidence, Right the share of accusations that name a true
	// culprit, Gap their distance, averaged over bins by weight.
	Claimed, Gap float64
	Right        results.Proportion
	Bins         []bin
}

// bin is the accusations of like confidence.
type bin struct {
	From, To float64
	Claimed  float64 // on average
	Right    results.Proportion
}

// claim is one accusation.
type claim struct {
	confidence float64
	right      bool
}

// newCalibration looks at every accusation of an analyser in runs that count.
func newCalibration(f *results.Folder, analyzer string) calibration {
	claims := claimsOf(f.Select("", analyzer))
	c := calibration{Analyzer: analyzer, N: len(claims)}
	if len(claims) == 0 {
		return c
	}
	c.Claimed, c.Right = summarize(claims)
	for i, in := range binned(claims) {
		if len(in) == 0 {
			continue
		}
		b := bin{From: float64(i) / bins, To: float64(i+1) / bins}
		b.Claimed, b.Right = summarize(in)
		c.Gap += math.Abs(b.Claimed-b.Right.Value) * float64(len(in)) / float64(len(claims))
		c.Bins = append(c.Bins, b)
	}
	c.Chart = c.draw()
	return c
}

// claimsOf are the accusations in valid runs; in a run without a culprit none is right.
func claimsOf(records []results.Record) []claim {
	var claims []claim
	for _, r := range records {
		if !r.Verdict.Valid() {
			continue
		}
		for _, f := range r.Findings {
			if len(accused(f)) == 0 || math.IsNaN(f.Confidence) {
				continue
			}
			alone := contention.Analysis{Findings: []contention.Finding{f}}
			right := results.Grade(r.Truth, r.Variant, alone, false).Ranks.Thread == 1
			claims = append(claims, claim{min(max(f.Confidence, 0), 1), right})
		}
	}
	return claims
}

func binned(claims []claim) [bins][]claim {
	var out [bins][]claim
	for _, c := range claims {
		i := min(int(c.confidence*bins), bins-1)
		out[i] = append(out[i], c)
	}
	return out
}

func summarize(claims []claim) (claimed float64, right results.Proportion) {
	n := 0
	for _, c := range claims {
		claimed += c.confidence
		if c.right {
			n++
		}
	}
	return claimed / float64(len(claims)), results.Wilson(float64(n), len(claims))
}

func (c calibration) draw() chart {
	d := chart{
		Title: "Reliability of " + c.Analyzer, X: "confidence claimed", Y: "accusations that are right",
		Diagonal: true,
	}
	for quarter := range 5 {
		share := float64(quarter) / 4
		d.XTicks = append(d.XTicks, tick{rightward(share), fmt.Sprintf("%.0f %%", 100*share)})
	}
	var s series
	for _, b := range c.Bins {
		s.Points = append(s.Points, point{
			X: rightward(b.Claimed), Y: upward(b.Right.Value), Low: upward(b.Right.Low), High: upward(b.Right.High),
			Text: fmt.Sprintf("claimed %.2f, right %s", b.Claimed, b.Right),
		})
	}
	s.Line = join(s.Points)
	d.Series = []series{s}
	return d
}
