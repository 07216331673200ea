// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/os2026/ebpf-rca/results"
)

// calibration is what accusations of an analyser claim against how often they are right.
type calibration struct {
	results.NamedCalibration
	Chart chart
}

func newCalibrations(list []results.NamedCalibration) []calibration {
	var views []calibration
	for _, c := range list {
		views = append(views, calibration{c, reliability(c)})
	}
	return views
}

// reliability draws the diagram of that name.
func reliability(c results.NamedCalibration) chart {
	d := chart{
		Title: "Reliability of " + c.Name, X: "confidence claimed", Y: "accusations that are right",
		Diagonal: true,
	}
	for quarter := range 5 {
		share := float64(quarter) / 4
		d.XTicks = append(d.XTicks, tick{rightward(share), percent(share)})
	}
	var s series
	for _, b := range c.Bins {
		s.Points = append(s.Points, point{
			X: rightward(b.Confidence), Y: upward(b.Right.Value), Low: upward(b.Right.Low), High: upward(b.Right.High),
			Text: fmt.Sprintf("claimed %.2f, right %s", b.Confidence, b.Right),
		})
	}
	s.Line = join(s.Points)
	d.Series = []series{s}
	return d
}
