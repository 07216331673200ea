// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadPerfMap(t *testing.T) {
	m, err := readPerfMap(strings.NewReader(`1000 100 first(int, int)
0x2000 0x10 with prefix
2008 4 inner
10f0 20 over the end
nonsense
3000 0 empty
4000 10
ffffffffffffffff 10 past the end
5000 10 still being writ`))
	require.NoError(t, err)
	for address, want := range map[uint64]string{
		0xfff: "", 0x1000: "first(int, int)", 0x10ef: "first(int, int)", 0x10f0: "over the end", 0x110f: "over the end",
		0x1110: "", 0x2000: "with prefix", 0x2007: "with prefix", 0x2008: "inner", 0x200b: "inner", 0x200c: "with prefix",
		0x2010: "", 0x3000: "", 0x4000: "", 0x5000: "", 0: "", 1<<64 - 1: "",
	} {
		assert.Equal(t, want, m.find(address), "%#x", address)
	}
}

func TestReadPerfMapSkipsWhatIsNoLine(t *testing.T) {
	m, err := readPerfMap(strings.NewReader(strings.Repeat("x", 200<<10) + "\n1000 10 next\n"))
	require.NoError(t, err)
	assert.Equal(t, "next", m.find(0x1000))
	m, err = readPerfMap(strings.NewReader("1000 10 " + strings.Repeat("n", 2*maxName) + "\n"))
	require.NoError(t, err)
	assert.Len(t, m.find(0x1000), maxName)
	_, err = readPerfMap(iotest.ErrReader(assert.AnError))
	require.ErrorIs(t, err, assert.AnError)
}

func TestReadPerfMapIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range maxPerfEntries + 1000 {
		fmt.Fprintf(&text, "%x 10 f\n", i*16)
	}
	m, err := readPerfMap(strings.NewReader(text.String()))
	require.NoError(t, err)
	assert.Len(t, m.pieces, maxPerfEntries)
	assert.Less(t, m.bytes(), int64(40<<20))
}

// naive finds a name by looking through all lines, the last one first.
func naive(text string, address uint64) string {
	end := strings.LastIndexByte(text, '\n')
	lines := strings.SplitAfter(text[:end+1], "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if entry, name, ok := parsePerfLine([]byte(lines[i])); ok && entry.start <= address && address < entry.end {
			name, _, _ := strings.Cut(string(name), "\n")
			return name
		}
	}
	return ""
}

func FuzzPerfMap(f *testing.F) {
	f.Add("1000 100 f\n1010 20 g\n1018 4 h\n1000 200 i\n", uint16(0x1018))
	f.Add("0 ffff all\n10 10 a\n18 10 b\n8 1000 c\n20 2 d\nffff 1 e\n", uint16(0x20))
	f.Fuzz(func(t *testing.T, text string, address uint16) {
		if len(text) > 32<<10 {
			return
		}
		m, err := readPerfMap(strings.NewReader(text))
		require.NoError(t, err)
		for i, p := range m.pieces {
			require.Less(t, p.start, p.end)
			require.True(t, i == 0 || m.pieces[i-1].end <= p.start, "pieces do not overlap")
		}
		require.Equal(t, naive(text, uint64(address)), m.find(uint64(address)))
		for _, p := range m.pieces[:min(len(m.pieces), 20)] {
			require.Equal(t, naive(text, p.start), m.find(p.start))
			require.Equal(t, naive(text, p.end-1), m.find(p.end-1))
		}
	})
}
