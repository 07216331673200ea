// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// Whatever a record and a ledger hold, they become a page without a script.
func FuzzWrite(f *testing.F) {
	records, err := os.ReadFile(fixture + "/" + results.RecordsFile)
	require.NoError(f, err)
	data, err := results.ReadFile(fixture, "ledgers/2.json.zst")
	require.NoError(f, err)
	for line := range bytes.Lines(records) {
		f.Add(line, data)
	}
	f.Fuzz(func(t *testing.T, record, account []byte) {
		var r results.Record
		if json.Unmarshal(record, &r) != nil {
			return
		}
		folder := &results.Folder{
			Plan:    results.Plan{RunID: r.RunID, Analyzers: []string{r.Analyzer}, Runs: []results.Run{r.Run}},
			Records: []results.Record{r},
		}
		var b bytes.Buffer
		require.NoError(t, Write(&b, []Input{{Folder: folder}}, Options{Timelines: None}))
		require.NotContains(t, b.String(), "<script")
		l, err := ledger.DecodeJSON(account)
		if err != nil {
			return
		}
		for _, lane := range newTimeline(l, r, namesOf(folder.Records)).Lanes {
			require.NotEmpty(t, lane.Thread)
		}
		checkTrace(t, l, r)
	})
}
