// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
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
	assert.Equal(t, "mcnemar", m.Hits.Method)
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
	assert.Equal(t, "fisher", hits.Method)
	assert.InDelta(t, Fisher(20, 20, 0, 10), hits.P, 1e-12)
	assert.True(t, hits.Significant())
	back := compared(t, true, onKernel("b", "6.1.0", play(10, "m", fault, Miss)), onKernel("a", "6.1.0", play(20, "m", fault, Hit)))
	assert.False(t, back.Rows[0].Cells[1].Hits.Worse)
	same := compared(t, true, onKernel("a", "6.1.0", play(4, "m", control, FalseAlarm)), onKernel("b", "6.1.0", play(8, "m", control, FalseAlarm)))
	assert.False(t, same.Rows[0].Cells[1].Alarms.Worse)
}

func TestGateDoesNotPassWhatItCannotSee(t *testing.T) {
	base := onKernel("a", "6.1.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit))
	for name, c := range map[string]struct {
		other *Folder
		want  int
	}{
		"all there":   {onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit)), ExitGood},
		"not planned": {onKernel("b", "6.2.0", play(3, "m", fault, Hit)), ExitInfra},
		"broken":      {onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Infra)), ExitInfra},
		"unsupported": {onKernel("b", "5.4.0", play(3, "m", fault, Hit), play(3, "n", fault, Unsupported)), ExitGood},
	} {
		assert.Equal(t, c.want, compared(t, true, base, c.other).Outcome().Code, name)
	}
	half := onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit))
	half.Incomplete = true
	assert.Equal(t, ExitInfra, compared(t, true, base, half).Outcome().Code)
}

func TestCompareRefuses(t *testing.T) {
	a, b := onKernel("a", "6.1.0", play(1, "m", fault, Hit)), onKernel("b", "6.1.0", play(1, "m", fault, Hit))
	_, err := Compare([]*Folder{a}, CompareOptions{})
	assert.ErrorContains(t, err, "two folders")
	b.Plan.Analyzers = []string{"other"}
	_, err = Compare([]*Folder{a, b}, CompareOptions{})
	assert.ErrorContains(t, err, "b has no analyzer rca")
}

func TestDifferences(t *testing.T) {
	steal := .5
	a := &Folder{Env: Env{KernelRelease: "6.1.0", Accel: "kvm", CPUs: 2, ToolCommit: "x", Load: []float64{1, 2, 3}}}
	b := &Folder{Env: Env{KernelRelease: "6.2.0", Accel: "tcg", CPUs: 2, ToolCommit: "x", Steal: &steal}}
	c := &Folder{Env: Env{KernelRelease: "6.2.0", CPUs: 2, ToolCommit: "x"}}
	assert.Equal(t, []Difference{{Property: "accel", Values: []string{"kvm", "tcg", ""}}}, differences([]*Folder{a, b, c}))
	assert.Empty(t, differences([]*Folder{a, a}))
}

func TestCompareGrid(t *testing.T) {
	before := onKernel("run-a", "6.18.0", play(10, "mutex-hold", fault, Hit), play(10, "mutex-hold", twin, CorrectReject), play(2, "control-quiet", control, CorrectReject))
	after := onKernel("run-b", "5.10.0", play(10, "mutex-hold", fault, Miss), play(10, "mutex-hold", twin, CorrectReject), play(2, "control-quiet", control, Unsupported))
	before.Env.Accel, after.Env.Accel = "kvm", "tcg"
	after.Incomplete = true
	var b strings.Builder
	require.NoError(t, compared(t, true, before, after).Write(&b))
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	assert.Equal(t, strings.TrimLeft(`
The environments differ, so a change below need not come from the kernel or the tool:
  accel  tcg  kvm

               5.10.0                               * 6.18.0
               run-b (incomplete)                   run-a
SCENARIO       AC@1                    FAR          AC@1       FAR
mutex-hold     0.00 n=10 p=0.00195m !  0.00 n=10    1.00 n=10  0.00 n=10
control-quiet  unsupported             unsupported  -          0.00 n=2
`, "\n"), strings.Join(lines[:8], "\n")+"\n")
	assert.Contains(t, b.String(), "gate: mutex-hold: run-b finds 0.00 [0.00,0.28] (p 0.00195, mcnemar)\n")
	assert.ErrorIs(t, compared(t, false, before, after).Write(deafWriter{}), errDeaf)
}
