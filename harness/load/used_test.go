// SPDX-License-Identifier: Apache-2.0

package load

import (
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The name of this process ends as if it were followed by its state.
const stat = "41 (a) S b) S 1 41 41 0 -1 4194560 3213 97231 0 5 31 12 700 8 20 0 1 0 3456 222031872 6912\n"

func TestReadUsed(t *testing.T) {
	proc := fstest.MapFS{
		"41/stat":             {Data: []byte(stat)},
		"41/task/41/children": {Data: []byte("50 51 67 ")},
	}
	got, err := readUsed(proc, 41)
	require.NoError(t, err)
	assert.Equal(t, used{cpu: 7510 * time.Millisecond, children: 3}, got)

	_, err = readUsed(proc, 42)
	require.ErrorIs(t, err, os.ErrNotExist)
	delete(proc, "41/task/41/children")
	_, err = readUsed(proc, 41)
	require.ErrorContains(t, err, "children of process 41")
	for _, text := range []string{"", "41 (a) S 1", stat[:40], "1 (a) S 1 1 1 0 0 0 0 0 0 0 x 0 0 0 0", "1 (a) S 1 1 1 0 0 0 0 0 0 0 18446744073709551615 0 0 0 0"} {
		proc["41/stat"] = &fstest.MapFile{Data: []byte(text)}
		_, err = readUsed(proc, 41)
		require.ErrorContains(t, err, "what process 41 used", text)
	}
}

func FuzzParseUsed(f *testing.F) {
	f.Add([]byte(stat))
	f.Fuzz(func(t *testing.T, data []byte) {
		if cpu, err := parseUsed(data); err == nil && cpu < 0 {
			t.Errorf("%q: %v", data, cpu)
		}
	})
}
