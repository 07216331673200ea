// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
)

var update = flag.Bool("update", false, "write anew what is expected of the captures in testdata/corpus")

const (
	corpus = "testdata/corpus"
	// maxCorpus is what all files of the corpus may take, in bytes.
	maxCorpus = 10_000_000
)

// example is a capture of a scenario on a real kernel, and its truth. It is of a run that
// was answered right, so it is no measure of how often that is so.
type example struct {
	Capture  string             `json:"capture"`
	Scenario string             `json:"scenario"`
	Variant  contention.Variant `json:"variant"`
	Kernel   string             `json:"kernel"`
	// Verdict is that of the run: untrusted if the machine was too busy to grade it.
	Verdict string `json:"verdict"`
	// Class and Culprits, the latter by tid, are those of the ledger; none of a twin.
	Class    contention.Class `json:"class"`
	Culprits []int            `json:"culprits"`
}

func examples(t *testing.T) []example {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "index.json"))
	require.NoError(t, err)
	var list []example
	require.NoError(t, json.Unmarshal(data, &list))
	return list
}

func (e example) read(t *testing.T) contention.Trace {
	t.Helper()
	f, err := os.Open(filepath.Join(corpus, e.Capture))
	require.NoError(t, err)
	defer f.Close()
	c, err := capture.Read(f)
	require.NoError(t, err)
	return c.Trace
}

// golden is the file with what is expected.
func (e example) golden() string {
	return filepath.Join(corpus, strings.TrimSuffix(e.Capture, capture.Extension)+".json")
}

func TestCorpus(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.Capture, func(t *testing.T) {
			trace := e.read(t)
			analysis := Analyze(&trace, Options{})
			assertConserved(t, analysis)
			assertTruth(t, e, analysis.Findings)
			got := textOf(t, analysis)
			if *update {
				require.NoError(t, os.WriteFile(e.golden(), got, 0o644))
			}
			want, err := os.ReadFile(e.golden())
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), "if it is meant to be so, go test -update writes it anew")
		})
	}
}

// assertTruth checks that the first finding says whose fault it was, and that nobody is
// accused of what is nobody's.
func assertTruth(t *testing.T, e example, findings []contention.Finding) {
	t.Helper()
	if e.Variant != contention.FaultVariant {
		for _, f := range findings {
			assert.False(t, f.Class.Accuses(), "%s of a %s", f.Class, e.Variant)
		}
		return
	}
	require.NotEmpty(t, findings)
	first := findings[0]
	assert.Equal(t, e.Class, first.Class)
	assert.ElementsMatch(t, e.Culprits, accusedBy(first))
}

// accusedBy lists the tids that a finding names.
func accusedBy(f contention.Finding) []int {
	var tids []int
	for _, c := range f.Culprits {
		tids = append(tids, c.TID)
	}
	if tids == nil && f.Culprit != nil {
		tids = append(tids, f.Culprit.TID)
	}
	return tids
}

// textOf is an analysis as its golden file has it.
func textOf(t *testing.T, a contention.Analysis) []byte {
	t.Helper()
	for i := range a.Findings { // the last digits differ from one processor to another
		f := &a.Findings[i]
		f.Share, f.Confidence = math.Round(f.Share*1e6)/1e6, math.Round(f.Confidence*1e6)/1e6
	}
	text, err := json.MarshalIndent(map[string]any{"findings": a.Findings, "totals": a.Totals}, "", " ")
	require.NoError(t, err)
	return append(text, '\n')
}

func TestCorpusIsWhole(t *testing.T) {
	var listed []string
	faults := 0
	for _, e := range examples(t) {
		listed = append(listed, filepath.Join(corpus, e.Capture), e.golden())
		if e.Variant == contention.FaultVariant {
			faults++
		}
	}
	assert.Positive(t, faults)
	assert.Greater(t, len(listed)/2, faults, "and some where nobody is at fault")
	listed = append(listed, filepath.Join(corpus, "index.json"))

	files, err := filepath.Glob(filepath.Join(corpus, "*"))
	require.NoError(t, err)
	slices.Sort(listed)
	assert.Equal(t, listed, files, "each capture is listed, and each listed is there")
	var size int64
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		size += info.Size()
	}
	assert.Less(t, size, int64(maxCorpus))
}
