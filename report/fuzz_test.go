// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// Whatever a record and a ledger hold, they become a page without a script.
func FuzzWrite(f *testing.F) {
	data, err := results.ReadFile(fixture, "ledgers/2.json.zst")
	require.NoError(f, err)
	for _, r := range Open([]string{fixture})[0].Folder.Records {
		text, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(text, data)
	}
	f.Fuzz(func(t *testing.T, seed, account []byte) {
		r := results.Record{Analyzer: "rca"}
		(&filler{seed}).fill(reflect.ValueOf(&r).Elem(), 0)
		folder := &results.Folder{
			Plan:    results.Plan{RunID: r.RunID, Analyzers: []string{r.Analyzer}, Runs: []results.Run{r.Run}},
			Records: []results.Record{r},
		}
		var b bytes.Buffer
		require.NoError(t, Write(&b, []Input{{Folder: folder}}, Options{Timelines: None}))
		require.NotContains(t, b.String(), "<script")
		require.NotContains(t, b.String(), "ZgotmplZ", "the template engine refused a value")
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
