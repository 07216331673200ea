// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"time"
)

// The area of a chart in its own units, and the margins around it.
const (
	chartWidth  = 240
	chartHeight = 180
)

// chart is a diagram of shares, which run from 0 to 1 upwards.
type chart struct {
	Title  string
	X      string // what runs to the right
	Y      string
	XTicks []tick
	// Diagonal draws the line on which what is claimed comes true.
	Diagonal bool
	Series   []series
}

// tick is a place on an axis and its text.
type tick struct {
	At   int
	Text string
}

// series are points of one sort, told apart from others by their shape.
type series struct {
	Name   string
	Shape  int // 0 to shapes − 1
	Line   string
	Points []point
}

// shapes is how many sorts of point there are.
const shapes = 4

// point is a share and its interval.
type point struct {
	X, Y, Low, High int
	Text            string
}

// YTicks are the same in every chart.
func (chart) YTicks() []tick {
	var list []tick
	for quarter := range 5 {
		share := float64(quarter) / 4
		list = append(list, tick{upward(share), fmt.Sprintf("%.0f %%", 100*share)})
	}
	return list
}

// Width and Height are those of the area.
func (chart) Width() int  { return chartWidth }
func (chart) Height() int { return chartHeight }

// upward is the place of a share on the axis that runs up.
func upward(share float64) int {
	return chartHeight - int(chartHeight*min(max(share, 0), 1)+0.5)
}

// rightward is the place of a share of the axis that runs right.
func rightward(share float64) int { return int(chartWidth*min(max(share, 0), 1) + 0.5) }

// join draws a line through points.
func join(points []point) string {
	var b strings.Builder
	for i, p := range points {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(&b, "%s%d %d", letter, p.X, p.Y)
	}
	return b.String()
}

// mostTexts is how many ticks there is room to name.
const mostTexts = 5

// spans places different times at equal steps, in their order. Where they are many, some
// have no text.
func spans(times []time.Duration) []tick {
	list := make([]tick, len(times))
	each := (len(times) + mostTexts - 1) / mostTexts
	for i, t := range times {
		list[i].At = rightward((float64(i) + 0.5) / float64(len(times)))
		if i%each == 0 {
			list[i].Text = duration(t)
		}
	}
	return list
}

// marker is the shape that stands for a point.
type marker struct{ X, Y, Shape int }

func newMarker(x, y, shape int) marker { return marker{x, y, shape} }
