// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onKernel makes a folder of rca's records on a kernel.
func onKernel(id, release string, parts ...[]Record) *Folder {
	f := folderOf(rcaOnly, join(parts...)...)
	f.Plan.RunID, f.Env.KernelRelease = id, release
	return f
}

func compared(t *testing.T, gate bool, folders ...*Folder) Comparison {
	t.Helper()
	c, err := Compare(folders, CompareOptions{Gate: gate})
	require.NoError(t, err)
	return c
}

func TestCompareOrdersKernels(t *testing.T) {
	runs := play(2, "m", fault, Hit)
	c := compared(t, false,
		onKernel("a", "6.10.0-1-amd64", runs), onKernel("b", "", runs), onKernel("c", "6.9-rc3", runs),
		onKernel("d", "6.9.0", runs), onKernel("e", "6.10.0-1-amd64", runs))
	var ids []string
	for _, column := range c.Columns {
		ids = append(ids, column.RunID)
		assert.Equal(t, column.RunID == "a", column.Base)
	}
	assert.Equal(t, []string{"c", "d", "a", "e", "b"}, ids)
}

func TestCompareTellsALoss(t *testing.T) {
	before := onKernel("a", "6.1.0", play(10, "m", fault, Hit), play(10, "m", twin, CorrectReject), play(10, "n", fault, Hit))
	after := onKernel("b", "6.18.0", play(10, "m", fault, Miss), play(10, "m", twin, FalseAlarm), play(9, "n", fault, Hit), play(1, "n", fault, Miss))
	c := compared(t, true, before, after)

	m := c.Rows[0].Cells[1]
	assert.Equal(t, McNemarTest, m.Hits.Method)
	assert.InDelta(t, 2.0/1024, m.Hits.P, 1e-9)
	assert.InDelta(t, 4.0/1024, m.Hits.Adjusted, 1e-9, "two scenarios are tested")
	assert.True(t, m.Hits.Significant())
	assert.True(t, m.Alarms.Significant())
	assert.InDelta(t, 2.0/1024, m.Alarms.Adjusted, 1e-9, "only one scenario has twins")
	n := c.Rows[1].Cells[1]
	assert.True(t, n.Hits.Worse)
	assert.False(t, n.Hits.Significant(), "one of ten is chance")
	assert.Equal(t, Change{}, n.Alarms)

	o := c.Outcome()
	assert.Equal(t, ExitBelow, o.Code)
	assert.Len(t, o.Reasons, 2)
	assert.Equal(t, ExitGood, compared(t, false, before, after).Outcome().Code, "no gate")
	assert.Equal(t, ExitGood, compared(t, true, after, before).Outcome().Code, "a gain is no loss")
}

func TestCompareUsesFisherWhereSeedsDiffer(t *testing.T) {
	c := compared(t, true, onKernel("a", "6.1.0", play(20, "m", fault, Hit)), onKernel("b", "6.1.0", play(10, "m", fault, Miss)))
	hits := c.Rows[0].Cells[1].Hits
	assert.Equal(t, FisherTest, hits.Method)
	assert.InDelta(t, Fisher(20, 20, 0, 10), hits.P, 1e-12)
	assert.True(t, hits.Significant())
	back := compared(t, true, onKernel("b", "6.1.0", play(10, "m", fault, Miss)), onKernel("a", "6.1.0", play(20, "m", fault, Hit)))
	assert.False(t, back.Rows[0].Cells[1].Hits.Worse)
	same := compared(t, true, onKernel("a", "6.1.0", play(4, "m", control, FalseAlarm)), onKernel("b", "6.1.0", play(8, "m", control, FalseAlarm)))
	assert.False(t, same.Rows[0].Cells[1].Alarms.Worse)
}

func TestCompareRefuses(t *testing.T) {
	a, b := onKernel("a", "6.1.0", play(1, "m", fault, Hit)), onKernel("b", "6.1.0", play(1, "m", fault, Hit))
	_, err := Compare([]*Folder{a}, CompareOptions{})
	assert.ErrorContains(t, err, "two folders")
	b.Plan.Analyzers = []string{"other"}
	_, err = Compare([]*Folder{a, b}, CompareOptions{})
	assert.ErrorContains(t, err, "b has no analyzer rca")
	_, err = Compare([]*Folder{a}, CompareOptions{Against: "rca"})
	assert.ErrorContains(t, err, "rca against itself")
	_, err = Compare([]*Folder{a}, CompareOptions{Against: "last-waker"})
	assert.ErrorContains(t, err, "a has no analyzer last-waker")
	_, err = Compare([]*Folder{a, a}, CompareOptions{Drop: 1})
	assert.ErrorContains(t, err, "drop 1:")
	_, err = Compare([]*Folder{a, a}, CompareOptions{Drop: -0.1})
	assert.ErrorContains(t, err, "drop -0.1:")
}

func TestCompareAnalyzersOfOneFolder(t *testing.T) {
	var records []Record
	for range 10 {
		records = append(records, play(1, "m", fault, Hit)[0], play(1, "m", fault, Miss)[0])
	}
	f := folderOf([]string{"rca", "last-waker"}, records...)
	c, err := Compare([]*Folder{f}, CompareOptions{Against: "last-waker"})
	require.NoError(t, err)
	require.Len(t, c.Columns, 2)
	assert.Equal(t, "last-waker", c.Columns[0].Analyzer)
	assert.True(t, c.Columns[0].Base)
	cell := c.Rows[0].Cells[1]
	assert.Equal(t, McNemarTest, cell.Hits.Method, "of one run both answers are a pair")
	assert.InDelta(t, 2.0/1024, cell.Hits.P, 1e-9)
	assert.True(t, cell.Hits.Gain())
	assert.Equal(t, Better, cell.Judgement)
	assert.Empty(t, c.Differences)

	back, err := Compare([]*Folder{f}, CompareOptions{Analyzer: "last-waker", Against: "rca", Gate: true})
	require.NoError(t, err)
	assert.Equal(t, ExitBelow, back.Outcome().Code)
}
