// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/results"
)

func TestCell(t *testing.T) {
	all, none := results.Wilson(3, 3), results.Wilson(0, 3)
	for name, test := range map[string]struct {
		recall, far results.Proportion
		seeds       int
		unsupported int
		want        cell
	}{
		"good":         {all, none, 3, 0, cell{Class: "good", Sign: "✓", Word: "good", Faults: "3/3", Quiet: "0/3 accused"}},
		"a miss":       {results.Wilson(2, 3), none, 3, 0, cell{Class: "bad", Sign: "✗", Word: "misses", Faults: "2/3", Quiet: "0/3 accused"}},
		"an alarm":     {all, results.Wilson(1, 3), 3, 0, cell{Class: "bad", Sign: "▲", Word: "accuses innocents", Faults: "3/3", Quiet: "1/3 accused"}},
		"both":         {none, all, 3, 0, cell{Class: "bad", Sign: "✗▲", Word: "misses, and accuses innocents", Faults: "0/3", Quiet: "3/3 accused"}},
		"nine in ten":  {results.Wilson(9, 10), results.Wilson(0, 10), 10, 0, cell{Class: "good", Sign: "✓", Word: "good", Faults: "9/10", Quiet: "0/10 accused"}},
		"control":      {results.Proportion{}, none, 3, 0, cell{Class: "good", Sign: "✓", Word: "good", Quiet: "0/3 accused"}},
		"no valid run": {results.Proportion{}, results.Proportion{}, 3, 0, cell{Class: "warn", Sign: "?", Word: "does not count", Faults: "no valid run"}},
		"unsupported":  {results.Proportion{}, results.Proportion{}, 3, 6, cell{Class: "none", Sign: "–", Word: "unsupported", Faults: "unsupported"}},
	} {
		assert.Equal(t, test.want, newCell(test.recall, test.far, test.seeds, test.unsupported), name)
	}
}
