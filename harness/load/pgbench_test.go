// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines as pgbench 15 writes them with --log: client, transaction, µs, script, time.
const pgbenchLines = `0 199 2241 0 1175850568 995598
0 200 2465 0 1175850568 998079
1 12 1200 0 1175850569 608
`

func TestParsePgbenchLog(t *testing.T) {
	p99, err := parsePgbenchLog(strings.NewReader(pgbenchLines))
	require.NoError(t, err)
	assert.Equal(t, 2241*time.Microsecond, p99, "the second of three is below 99 %")

	var hundred strings.Builder
	for i := range 100 {
		fmt.Fprintf(&hundred, "0 %d %d 0 1 1\n", i, 100-i)
	}
	p99, err = parsePgbenchLog(strings.NewReader(hundred.String()))
	require.NoError(t, err)
	assert.Equal(t, 99*time.Microsecond, p99)

	for text, says := range map[string]string{
		"":                                  "no transaction",
		"0 1\n":                             "line 1 has 2 columns",
		pgbenchLines + "0 1 failed 0 1 1\n": `line 4: strconv.ParseUint: parsing "failed"`,
		"0 1 9999999999999999999 0 1 1\n":   "out of range",
	} {
		_, err := parsePgbenchLog(strings.NewReader(text))
		require.ErrorContains(t, err, says)
	}
}

func TestReadPgbenchLogRemovesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.1")
	require.NoError(t, os.WriteFile(path, []byte(pgbenchLines), 0o600))
	_, err := readPgbenchLog(path)
	require.NoError(t, err)
	assert.NoFileExists(t, path)
	_, err = readPgbenchLog(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParsePgbenchLog(f *testing.F) {
	f.Add(pgbenchLines)
	f.Fuzz(func(t *testing.T, text string) {
		if p99, err := parsePgbenchLog(strings.NewReader(text)); err == nil && p99 < 0 {
			t.Errorf("%q: %v", text, p99)
		}
	})
}
