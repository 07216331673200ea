// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/os2026/ebpf-rca/image"
)

// compressible returns size bytes, half of which are random.
func compressible(size int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, size)
	for i := range data {
		if i/1000%2 == 0 {
			data[i] = byte(random.Uint32())
		}
	}
	return data
}

func compress(t *testing.T, data []byte, flags ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	tool(t, "xz", append(append([]string{}, flags...), path)...)
	out, err := os.ReadFile(path + ".xz")
	require.NoError(t, err)
	return out
}

func TestExpandWhatXZCompressed(t *testing.T) {
	data := compressible(300 << 10)
	for _, flags := range [][]string{
		{}, {"-9e"}, {"-0"}, {"--block-size=65536"}, {"-T2", "--block-size=65536"}, {"--check=crc32"}, {"--check=none"}, {"--check=sha256"},
	} {
		got, err := expand(compress(t, data, flags...))
		require.NoError(t, err, flags)
		assert.True(t, bytes.Equal(data, got), flags)
	}
	got, err := expand(compress(t, nil))
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestExpandWhatIsDamaged(t *testing.T) {
	whole := compress(t, compressible(10<<10))
	for _, at := range []int{0, 5, 12, 14, 200, len(whole) - 40, len(whole) - 20, len(whole) - 8, len(whole) - 1} {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x5a
		_, err := expand(damaged)
		require.Error(t, err, "byte %d", at)
	}
	for _, size := range []int{0, 11, 24, 100, len(whole) - 4} {
		_, err := expand(whole[:size])
		require.Error(t, err, "%d bytes", size)
	}
	_, err := expand(compress(t, compressible(10<<10), "--x86", "--lzma2"))
	require.ErrorContains(t, err, "unknown filter")
}

// A block may claim to need a dictionary of 4 GiB, and a small file may expand to any
// size.
func TestExpandIsBounded(t *testing.T) {
	data := compress(t, compressible(10<<10))
	header := (int(data[12]) + 1) * 4
	at := bytes.Index(data[12:12+header], []byte{0x21, 1}) + 12 + 2
	data[at] = 40 // 4 GiB less one byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := expand(data)
	runtime.ReadMemStats(&after)
	require.NoError(t, err, "the dictionary need not be larger than what there is")
	assert.Len(t, got, 10<<10)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))

	_, err = expand(compress(t, make([]byte, maxExpanded+1), "-0"))
	require.ErrorIs(t, err, image.ErrTooLarge)
}

func FuzzExpand(f *testing.F) {
	if path, err := exec.LookPath("xz"); err == nil {
		cmd := exec.Command(path, "--block-size=1000")
		cmd.Stdin = bytes.NewReader(compressible(3000))
		if out, err := cmd.Output(); err == nil {
			f.Add(out)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := expand(data)
		require.LessOrEqual(t, len(got), maxExpanded)
		if err != nil || len(data) < 8 || data[7]&0xf == 0 || data[7]&0xf > 4 {
			return // without a checksum there is nothing to agree on
		}
		// What the library makes of it is the same, where it finds no fault.
		r, err := xz.ReaderConfig{SingleStream: true}.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		var want bytes.Buffer
		if _, err := want.ReadFrom(r); err == nil {
			require.Equal(t, want.Bytes(), got)
		}
	})
}
