// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// stackCell is one build and primitive, with a tally for each way to walk.
type stackCell struct {
	build, primitive string
	meaning          string // what the primitive is here, if not what it says
	missing          string // why there is nothing
	tallies          []stackTally
	settling         []share // right in the time before the window
}

// stackTable renders cells as Markdown.
func stackTable(walks []string, cells []stackCell) string {
	var b strings.Builder
	columns := []string{"waiter's caller", "releaser's caller", "whole", "guessed", "cut short", "culprit at work", "while settling"}
	b.WriteString("| build | primitive |")
	for _, walk := range walks {
		for _, column := range columns {
			fmt.Fprintf(&b, " %s: %s |", walk, column)
		}
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(walks)*len(columns)) + "\n")
	for _, cell := range cells {
		fmt.Fprintf(&b, "| %s | %s |", cell.build, cell.title())
		if cell.missing != "" {
			fmt.Fprintf(&b, " n/a: %s |%s\n", cell.missing, strings.Repeat(" |", len(walks)*len(columns)-1))
			continue
		}
		for i, c := range cell.tallies {
			fmt.Fprintf(&b, " %v (%d) | %v (%d) | %v | %v | %v | %s | %v |", c.waiters, c.waiters.of,
				c.releasers, c.releasers.of, c.whole, c.guessed, c.truncated, c.work(), cell.settling[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (c stackCell) title() string {
	if c.meaning == "" || c.missing != "" {
		return c.primitive
	}
	return c.primitive + " (" + c.meaning + ")"
}

func (c stackTally) work() string {
	if c.accused.part == 0 {
		return "not accused"
	}
	return fmt.Sprintf("%.2f %%", 100*c.atWork())
}

func TestStackTable(t *testing.T) {
	table := stackTable([]string{"rules", "kernel"}, []stackCell{
		{build: "gcc", primitive: "mutex", meaning: "sem_t", settling: []share{{1, 1}, {0, 0}}, tallies: []stackTally{
			{waiters: share{1999, 2000}, releasers: share{1, 3}, whole: share{1, 1}, accused: share{1, 1}, held: 2, shown: 1},
			{waiters: share{0, 10}},
		}},
		{build: "Rust", primitive: "pipe", missing: "no rustc"},
	})
	lines := strings.Split(strings.TrimSpace(table), "\n")
	assert.Len(t, lines, 4)
	for _, line := range lines {
		assert.Equal(t, 17, strings.Count(line, "|"), line)
	}
	assert.Equal(t, "| gcc | mutex (sem_t) | 99.95 % (2000) | 33.33 % (3) | 100.00 % | none | none | 50.00 % | 100.00 % |"+
		" 0.00 % (10) | none (0) | none | none | none | not accused | none |", lines[2])
	assert.True(t, strings.HasPrefix(lines[3], "| Rust | pipe | n/a: no rustc |"), lines[3])
}
