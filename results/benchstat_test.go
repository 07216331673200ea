// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// benchTables is what benchstat makes of files: its defaults, but columns by kernel.
type benchTables struct {
	table, row, column *benchproc.Projection
	residue            *benchproc.Projection
	unit               *benchproc.Field
}

func newBenchTables(t *testing.T) benchTables {
	t.Helper()
	var parser benchproc.ProjectionParser
	filter, err := benchproc.NewFilter("*")
	require.NoError(t, err)
	var b benchTables
	b.table, b.unit, err = parser.ParseWithUnit(".config", filter)
	require.NoError(t, err)
	b.row, err = parser.Parse(".fullname", filter)
	require.NoError(t, err)
	b.column, err = parser.Parse("kernel", filter)
	require.NoError(t, err)
	_, err = parser.Parse("", filter)
	require.NoError(t, err)
	b.residue = parser.Residue()
	return b
}

// Of one scenario on two kernels, in which the later finds fewer faults, benchstat -col
// kernel makes one table a unit with a column a kernel, and sees the change.
func TestBenchstatByKernel(t *testing.T) {
	b := newBenchTables(t)
	values := map[string]map[string][]float64{} // of a unit, by kernel
	tables, rows := map[string]map[benchproc.Key]bool{}, map[string]bool{}
	var residues []benchproc.Key
	for kernel, missed := range map[string]int{"6.12.1": 3, "6.18.44": 25} {
		f := folderOf(rcaOnly, join(
			play(50-missed, "mutex-hold", fault, Hit), play(missed, "mutex-hold", fault, Miss), play(50, "mutex-hold", twin, CorrectReject))...)
		f.Env = Env{KernelRelease: kernel, Architecture: "amd64", ToolCommit: "c0ffee"}
		var text bytes.Buffer
		require.NoError(t, WriteBench(&text, f))
		for reader := benchfmt.NewReader(&text, "bench.txt"); reader.Scan(); {
			r, ok := reader.Result().(*benchfmt.Result)
			if !ok {
				continue
			}
			rows[b.row.Project(r).StringValues()] = true
			residues = append(residues, b.residue.Project(r))
			column := b.column.Project(r).StringValues()
			for i, key := range b.table.ProjectValues(r) {
				unit := key.Get(b.unit)
				if tables[unit] == nil {
					tables[unit], values[unit] = map[benchproc.Key]bool{}, map[string][]float64{}
				}
				tables[unit][key] = true
				values[unit][column] = append(values[unit][column], r.Values[i].Value)
			}
		}
	}
	assert.Equal(t, map[string]bool{"Diagnose/scenario=mutex-hold": true}, rows)
	assert.Empty(t, benchproc.NonSingularFields(residues), "nothing differs but the kernel")
	for unit, keys := range tables {
		assert.Len(t, keys, 1, "tables of %s", unit)
		assert.Len(t, values[unit], 2, "columns of %s", unit)
	}

	sample := func(unit, kernel string) *benchmath.Sample {
		require.Len(t, values[unit][kernel], 10, "fifty seeds are ten blocks")
		return benchmath.NewSample(values[unit][kernel], &benchmath.DefaultThresholds)
	}
	compare := func(unit string) benchmath.Comparison {
		return benchmath.AssumeNothing.Compare(sample(unit, "6.12.1"), sample(unit, "6.18.44"))
	}
	assert.Less(t, compare("ac@1").P, 0.05)
	assert.Equal(t, 1.0, compare("far").P)
}
