// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

const (
	columns = 480 // of a row of a timeline
	levels  = 8   // of height in a column
)

// coverage is how much of each column of a window intervals fill.
type coverage struct {
	window contention.Window
	filled [columns]time.Duration
}

// add puts in the part of an interval that lies inside the window.
func (c *coverage) add(part contention.Window) {
	length := c.window.Length()
	if length <= 0 {
		return
	}
	for i := c.column(part.Begin); i < columns && c.edge(i) < part.End; i++ {
		begin, end := max(part.Begin, c.edge(i)), min(part.End, c.edge(i+1))
		c.filled[i] += max(end-begin, 0)
	}
}

// edge is where column i begins.
func (c *coverage) edge(i int) time.Duration {
	length := c.window.Length()
	return c.window.Begin + length/columns*time.Duration(i) + length%columns*time.Duration(i)/columns
}

// column is the one that t is in, or one just before.
func (c *coverage) column(t time.Duration) int {
	i := int(float64(t-c.window.Begin) / float64(c.window.Length()) * columns)
	return min(max(i-1, 0), columns-1)
}

// heights rounds each column to levels, up from nothing: what is there is seen.
func (c *coverage) heights() [columns]int {
	var heights [columns]int
	for i, filled := range c.filled {
		width := max(c.edge(i+1)-c.edge(i), 1)
		share := min(float64(filled)/float64(width), 1)
		heights[i] = int(share*levels + 0.5)
		if filled > 0 {
			heights[i] = max(heights[i], 1)
		}
	}
	return heights
}

// path draws heights as an outline in a box of columns by levels, standing on its
// floor or, for what hangs, down from its ceiling. It is empty where nothing is.
func path(heights [columns]int, hangs bool) string {
	var b strings.Builder
	ground, level := levels, 0
	if hangs {
		ground = 0
	}
	last := 0 // the column that the outline has come to
	for i, h := range heights {
		if h == level {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("M" + strconv.Itoa(i) + " " + strconv.Itoa(ground))
		} else {
			b.WriteString("h" + strconv.Itoa(i-last))
		}
		rise := level - h
		if hangs {
			rise = -rise
		}
		b.WriteString("v" + strconv.Itoa(rise))
		last, level = i, h
	}
	if b.Len() == 0 {
		return ""
	}
	if level > 0 {
		b.WriteString("h" + strconv.Itoa(columns-last) + "V" + strconv.Itoa(ground))
	}
	return b.String() + "z"
}
