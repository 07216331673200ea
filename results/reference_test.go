// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func TestReference(t *testing.T) {
	record := func(variant contention.Variant, v Verdict, frame int) Record {
		return Record{Run: Run{Scenario: "s", Variant: variant}, Analyzer: "rca", Verdict: v, Ranks: Ranks{Frame: frame}}
	}
	folder := func(release string, records ...Record) *Folder {
		return &Folder{Plan: Plan{Analyzers: []string{"rca"}}, Env: Env{KernelRelease: release, Accel: "tcg", ToolCommit: "c"}, Records: records}
	}
	ref := ReferenceOf([]*Folder{
		folder("6.12.0", record("fault", Miss, 0), record("twin", FalseAlarm, 0), record("twin", Unsupported, 0)),
		folder("6.1.0", record("fault", Hit, 1), record("fault", Hit, 2), record("fault", Lost, 0), record("twin", CorrectReject, 0)),
	})
	assert.Equal(t, []ReferenceKernel{
		{Release: "6.1.0", Accel: "tcg", Planned: 4, Void: 1, Scenarios: map[string]ReferenceCell{"s": {Hits: 2, Faults: 2, Frames: 1, Quiet: 1}}},
		{Release: "6.12.0", Accel: "tcg", Planned: 3, Unsupported: 1, Scenarios: map[string]ReferenceCell{"s": {Faults: 1, Alarms: 1, Quiet: 1}}},
	}, ref.Kernels)

	var b bytes.Buffer
	require.NoError(t, WriteReference(&b, ref))
	again, err := ReadReference(&b)
	require.NoError(t, err)
	assert.Equal(t, ref, again)
	// Wilson's interval for 2 of 2 is [0.342, 1], for 0 of 1 [0, 0.793].
	assert.Contains(t, ref.Markdown(), "| 6.1.0 | 2/2 [0.34, 1.00] | 1/2 [")
	assert.Contains(t, ref.Markdown(), "| 6.12.0 | 0/1 [0.00, 0.79] | 0/1 [0.00, 0.79] | 1/1 [0.21, 1.00] | 1 | 0 of 3 |")
}

var update = flag.Bool("update", false, "write the README's table of kernels anew from the reference results")

// The table in the README is that of the reference results.
func TestReadmeHasTheReferenceResults(t *testing.T) {
	const readme, begin, end = "../README.md", "<!-- kernels: go test ./results -update -->\n", "<!-- kernels end -->"
	file, err := os.Open("reference/kernels.json")
	require.NoError(t, err)
	defer file.Close()
	ref, err := ReadReference(file)
	require.NoError(t, err)
	require.NotEmpty(t, ref.Kernels)
	data, err := os.ReadFile(readme)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), begin)
	require.True(t, found, "the README marks where the table stands")
	table, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(before+begin+ref.Markdown()+end+after), 0o644))
		return
	}
	assert.Equal(t, ref.Markdown(), table, "go test ./results -run Readme -update writes it anew")
}

func FuzzReadReference(f *testing.F) {
	f.Add([]byte(`{"schema":"ebpf-rca/reference/1","kernels":[{"release":"6.1.0","scenarios":{"s":{"hits":1,"faults":2}}}]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if ref, err := ReadReference(bytes.NewReader(data)); err == nil {
			_ = ref.Markdown()
		}
	})
}
