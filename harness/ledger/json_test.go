// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecodeJSONReadsWhatIsKept(t *testing.T) {
	data, err := json.Marshal(sample())
	require.NoError(t, err)
	got, err := DecodeJSON(data)
	require.NoError(t, err)
	assert.Equal(t, sample(), got)
}

func TestDecodeJSONRefusesTheImpossible(t *testing.T) {
	const head = `{"go_ns":1,"stop_ns":9,"resources":[{"kind":"mutex"}],"threads":[{"pid":1,"tid":1,"entries":[`
	for name, test := range map[string]struct{ text, want string }{
		"not JSON":       {`{`, "unexpected end"},
		"window":         {`{"go_ns":9,"stop_ns":1}`, "window from 9 to 1"},
		"window of one":  {`{"go_ns":9,"stop_ns":9}`, "window from 9 to 9"},
		"kind":           {head + `[4,1,2,0]]}]}`, "thread 0: entry 0: malformed ledger: kind 4"},
		"kind of 8 bits": {head + `[257,1,2,0]]}]}`, "kind 257"},
		"resource":       {head + `[1,1,2,1]]}]}`, "resource 1 of 1"},
		"below":          {head + `[1,1,2,-1]]}]}`, "resource -1 of 1"},
		"reversed":       {head + `[1,2,3,0],[1,3,2,0]]}]}`, "entry 1: malformed ledger: from 3 to 2"},
		"not begun":      {head + `[1,0,2,0]]}]}`, "from 0 to 2"},
	} {
		_, err := DecodeJSON([]byte(test.text))
		require.ErrorIs(t, err, ErrFormat, name)
		assert.ErrorContains(t, err, test.want, name)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	data, err := json.Marshal(sample())
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := DecodeJSON(data)
		if err != nil {
			return
		}
		w := l.Window()
		require.LessOrEqual(t, w.Begin, w.End)
		for _, th := range l.Threads {
			for _, e := range th.Entries {
				require.Less(t, e.Resource, len(l.Resources))
				part, inside := e.Clip(w)
				require.True(t, !inside || part.Length() >= 0)
			}
		}
	})
}
