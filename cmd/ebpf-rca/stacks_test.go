// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
)

// What the stacks of a build that is graded must reach.
const (
	rightFloor = 0.995 // of waiters, of releasers, and of whole stacks of both
	// workFloor is of what the culprit did while it held, by time. On a busy machine it
	// waits for a CPU elsewhere too.
	workFloor    = 0.75
	enoughStacks = 1000 // of waiters, and of releasers, in any cell
)

// A cell is observed for so long. What is seen while it settles is told apart: the
// rules of a file that was never seen are read then.
const (
	settling = 200 * time.Millisecond
	playing  = 800 * time.Millisecond
	// mostWindows is how often a busy machine is given time for enough stacks, and the
	// analysis for the culprit to stand out.
	mostWindows = 5
)

// someStackPrimitives are those of a run that makes no table.
var someStackPrimitives = []string{"mutex", "condvar"}

// stackTableFile names a file for the table of TestStacksOfEveryBuild. Without it only
// some cells are played.
const stackTableFile = "STACKS_TABLE"

func allStackCells() bool { return os.Getenv(stackTableFile) != "" }

// stackWalk is one way to walk stacks.
type stackWalk struct {
	name    string
	options collector.Options
	graded  bool // others stand beside it for comparison
}

var stackWalks = []stackWalk{
	{name: "rules", graded: true},
	{name: "frame pointers", options: collector.Options{FramePointers: true}},
}

// Whatever a program was built by, the direct callers of what waits and of what lets go
// are known, and so is what the culprit does meanwhile.
func TestStacksOfEveryBuild(t *testing.T) {
	needRoot(t)
	var cells []stackCell
	defer func() { tellTable(t, cells) }()
	for _, b := range stackBuilds {
		if b.short || allStackCells() {
			t.Run(b.name, func(t *testing.T) { cells = append(cells, cellsOf(t, b)...) })
		}
	}
}

// cellsOf observes and grades one build.
func cellsOf(t *testing.T, b stackBuild) []stackCell {
	program, j, missing := b.make(t)
	var cells, played []stackCell
	for _, primitive := range stackPrimitives {
		if !allStackCells() && !slices.Contains(someStackPrimitives, primitive) {
			continue
		}
		cell := stackCell{build: b.name, primitive: primitive, meaning: b.limited[primitive], missing: missing}
		if missing == "" && cell.meaning == nothingWaits {
			cell.missing = nothingWaits
		}
		if cell.missing != "" {
			cells = append(cells, cell)
		} else {
			played = append(played, cell)
		}
	}
	if len(played) > 0 {
		observeCells(t, played, program, j)
	}
	for _, cell := range played {
		t.Run(cell.primitive, func(t *testing.T) { gradeCell(t, cell, b.graded) })
	}
	return append(played, cells...)
}

func tellTable(t *testing.T, cells []stackCell) {
	var names []string
	for _, w := range stackWalks {
		names = append(names, w.name)
	}
	table := stackTable(names, cells)
	t.Logf("stacks whose direct caller is right, and how many:\n%s", table)
	if path := os.Getenv(stackTableFile); path != "" {
		assert.NoError(t, os.WriteFile(path, []byte(table), 0o644))
	}
}

// observeCells plays one primitive after the other under all walks at once, so that
// they see the same run.
func observeCells(t *testing.T, cells []stackCell, program string, j judge) {
	var primitives []string
	for _, cell := range cells {
		primitives = append(primitives, cell.primitive)
	}
	p := startPlays(t, program, primitives)
	seen := observeAll(t, p.pid)
	for i := range cells {
		observeCell(t, &cells[i], p.cast(t), seen, j)
		p.next(t)
	}
}

func observeCell(t *testing.T, cell *stackCell, parts cast, seen observations, j judge) {
	for _, trace := range seen.during(t, settling) {
		c := tallyStacks(trace, parts, j)
		cell.settling = append(cell.settling, c.waiters.plus(c.releasers))
	}
	cell.tallies = make([]stackTally, len(seen))
	for window := 0; window == 0 || window < mostWindows && wantsMore(cell.tallies); window++ {
		for i, trace := range seen.during(t, playing) {
			c := tallyStacks(trace, parts, j)
			c.explain(trace, parts.culprit(), j)
			cell.tallies[i] = cell.tallies[i].plus(c)
		}
	}
}

// wantsMore reports whether a walk that is graded lacks something to be graded by.
func wantsMore(tallies []stackTally) bool {
	for i, c := range tallies {
		if stackWalks[i].graded && (lacksStacks(c) || c.accused.part == 0) {
			return true
		}
	}
	return false
}

func gradeCell(t *testing.T, cell stackCell, graded bool) {
	for i, c := range cell.tallies {
		walk := stackWalks[i]
		t.Logf("%s: %v waiters, %v releasers, %v whole, settling %v, at work %s, loss %+v",
			walk.name, c.waiters, c.releasers, c.whole, cell.settling[i], c.work(), c.loss)
		for _, wrong := range c.wrong {
			t.Logf("%s: %s", walk.name, wrong)
		}
		assert.GreaterOrEqual(t, c.waiters.of, enoughStacks, "stacks of waiters")
		assert.GreaterOrEqual(t, c.releasers.of, enoughStacks, "stacks of releasers")
		if !graded || !walk.graded {
			continue
		}
		assertRight(t, c)
		assert.NotZero(t, c.accused.part, "the first finding accuses the culprit")
		assert.GreaterOrEqual(t, c.atWork(), workFloor, "the culprit is shown at work")
	}
}

func assertRight(t *testing.T, c stackTally) {
	t.Helper()
	assert.GreaterOrEqual(t, c.waiters.value(), rightFloor, "direct callers of waiters")
	assert.GreaterOrEqual(t, c.releasers.value(), rightFloor, "direct callers of releasers")
	assert.GreaterOrEqual(t, c.whole.value(), rightFloor, "whole stacks")
}

// observations watch one process, one for each of stackWalks.
type observations []*collector.Observation

// observeAll begins with all walks at a time: most of it is the kernel's check of the
// programs.
func observeAll(t *testing.T, pid int) observations {
	t.Helper()
	all := make(observations, len(stackWalks))
	errs := make([]error, len(stackWalks))
	var begun sync.WaitGroup
	for i, walk := range stackWalks {
		begun.Go(func() { all[i], errs[i] = collector.Observe(pid, walk.options) })
	}
	begun.Wait()
	for i, o := range all {
		if o != nil {
			t.Cleanup(func() { assert.NoError(t, o.Close()) })
		}
		require.NoError(t, errs[i], stackWalks[i].name)
	}
	return all
}

// during returns what each saw in a time from now on. What was seen before belongs to
// an earlier window.
func (all observations) during(t *testing.T, d time.Duration) []*contention.Trace {
	t.Helper()
	begin := collector.Now()
	<-time.After(d)
	return all.cut(t, begin)
}

// cut returns what each saw since begin.
func (all observations) cut(t *testing.T, begin time.Duration) []*contention.Trace {
	t.Helper()
	var traces []*contention.Trace
	for _, o := range all {
		trace, err := o.Cut(contention.Window{Begin: begin, End: collector.Now()})
		require.NoError(t, err)
		traces = append(traces, trace)
	}
	return traces
}
