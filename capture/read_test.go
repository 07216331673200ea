// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file packs text and sections as a capture is.
func file(t testing.TB, line string, sections ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	require.NoError(t, err)
	_, err = io.WriteString(w, line)
	require.NoError(t, err)
	for _, s := range sections {
		require.NoError(t, writeSection(w, s))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// unpacked is what file packs, all of it buffered.
func unpacked(t testing.TB, data []byte) *bufio.Reader {
	t.Helper()
	d, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(data, nil)
	require.NoError(t, err)
	in := bufio.NewReaderSize(bytes.NewReader(plain), len(plain))
	_, err = in.Peek(len(plain))
	require.NoError(t, err)
	return in
}

func TestTruncated(t *testing.T) {
	whole := manyWaits(3 * rowsPerSection)
	data := packed(t, whole)
	read := 0
	for cut := 0; cut < len(data); cut += 1 + len(data)/30 {
		c, err := Read(bytes.NewReader(data[:cut]))
		require.ErrorIs(t, err, ErrTruncated, "%d of %d bytes", cut, len(data))
		got := len(c.Trace.Waits)
		require.GreaterOrEqual(t, got, read)
		if got > read {
			require.Equal(t, whole.Trace.Waits[read:got], c.Trace.Waits[read:])
		}
		if c.Kernel != "" {
			require.Equal(t, uint64(len(whole.Trace.Waits)-got), c.Trace.Loss.Detached)
		}
		read = got
	}
	assert.Equal(t, len(whole.Trace.Waits), read, "all of them before the last byte")

	c, err := Read(bytes.NewReader(data[:len(data)-1]))
	require.ErrorIs(t, err, ErrTruncated, "the last byte is of a checksum")
	assert.Equal(t, whole, c)
	assert.EqualError(t, err, "read capture: the file ends early")
}

// Some bits say how the file is packed and not what is in it.
func TestAnyDamageIsNoticed(t *testing.T) {
	whole := manyWaits(20)
	data := packed(t, whole)
	harmless := 0
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		c, err := Read(bytes.NewReader(damaged))
		if err == nil {
			harmless++
			require.Equal(t, whole, c, "byte %d", i)
			continue
		}
		require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrTruncated) || errors.Is(err, ErrVersion), "byte %d: %v", i, err)
	}
	assert.Less(t, harmless, len(data)/50)
}

func TestNotACapture(t *testing.T) {
	for name, data := range map[string][]byte{
		"text":             []byte("not a capture at all"),
		"another zstd":     file(t, `{"threads":[]}`),
		"an empty zstd":    file(t, "nothing"),
		"no version":       file(t, "ebpf-rca/capture/\n"),
		"version 0":        file(t, "ebpf-rca/capture/0\n"),
		"no line":          file(t, firstLine+strings.Repeat("1", 5000)),
		"trailing section": append(packed(t, Capture{}), packed(t, Capture{})...),
		"trailing text":    append(packed(t, Capture{}), "more"...),
	} {
		_, err := Read(bytes.NewReader(data))
		assert.ErrorIs(t, err, ErrCorrupt, name)
	}
	_, err := Read(bytes.NewReader(nil))
	assert.ErrorIs(t, err, ErrTruncated)
}

func TestFutureVersion(t *testing.T) {
	_, err := Read(bytes.NewReader(file(t, "ebpf-rca/capture/3\n", []byte("whatever"))))
	assert.ErrorIs(t, err, ErrVersion)
	assert.EqualError(t, err, "read capture: written by a newer program: version 3, and this one reads up to 2")
}

// headerOf is a header that claims sizes.
func headerOf(s sizes) []byte {
	c := newCoder(true, maxMemory)
	c.header(Capture{}, s)
	return c.bytes
}

func TestHostileSizes(t *testing.T) {
	const most = 1<<63 - 1
	row := make([]byte, 15) // a wait of zeros
	rows := bytes.Repeat(row, rowsPerSection)
	line := "ebpf-rca/capture/2\n"
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"rows that are not there":      {file(t, line, headerOf(sizes{waits: most}), nil), ErrCorrupt},
		"fewer rows than there are":    {file(t, line, headerOf(sizes{waits: 1}), rows), ErrCorrupt},
		"sections that are not there":  {file(t, line, headerOf(sizes{waits: most}), rows), ErrTruncated},
		"a negative table":             {file(t, line, headerOf(sizes{waits: -2})), ErrCorrupt},
		"a stack longer than the file": {file(t, line, headerOf(sizes{stacks: 1}), binary.AppendVarint(nil, most)), ErrCorrupt},
		"a note longer than the file":  {file(t, line, []byte{4, 2, 200}), ErrCorrupt},
		"a text met never":             {file(t, line, []byte{4, 8}), ErrCorrupt},
		"a section without end":        {file(t, line+string(binary.AppendUvarint(nil, 1<<60))), ErrCorrupt},
		"too many rows":                {file(t, line, headerOf(sizes{waits: most}), rows, rows, rows, rows), ErrTooLarge},
		"too large a stack":            {file(t, line, headerOf(sizes{stacks: 1}), append(binary.AppendVarint(nil, 1+100_000), make([]byte, 100_000)...)), ErrTooLarge},
	} {
		_, err := read(bytes.NewReader(test.data), 8<<20)
		assert.ErrorIs(t, err, test.want, name)
	}
}

func TestMemoryIsThatOfWhatIsThere(t *testing.T) {
	data := file(t, "ebpf-rca/capture/2\n", headerOf(sizes{waits: 1 << 40}), make([]byte, 15*rowsPerSection))
	allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_, err := Read(bytes.NewReader(data))
			require.ErrorIs(b, err, ErrTruncated)
		}
	}).AllocedBytesPerOp()
	assert.Less(t, allocated, int64(64<<20), "and not of what is claimed")
}

func TestReaderThatFails(t *testing.T) {
	broken := errors.New("disk on fire")
	data := packed(t, manyWaits(3*rowsPerSection))
	c, err := Read(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken)))
	assert.ErrorIs(t, err, broken)
	assert.NotErrorIs(t, err, ErrCorrupt)
	assert.NotEmpty(t, c.Trace.Waits)
}

func TestReaderThatIsSlow(t *testing.T) {
	want := manyWaits(100)
	got, err := Read(iotest.OneByteReader(bytes.NewReader(packed(t, want))))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// FuzzRead feeds any file, and any sections within a file that is right otherwise.
func FuzzRead(f *testing.F) {
	whole := manyWaits(20)
	f.Add(packed(f, whole), []byte{}, []byte{})
	f.Add([]byte{}, headerOf(sizes{waits: 1}), make([]byte, 15))
	f.Add([]byte{}, headerOf(sizes{threads: 2, stacks: 1}), []byte{2, 2, 2, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data, header, section []byte) {
		if len(data) == 0 {
			data = file(t, "ebpf-rca/capture/2\n", header, section)
		}
		c, err := read(bytes.NewReader(data), 16<<20)
		if err == nil { // what can be read can be written, and is the same
			require.Equal(t, c, roundTrip(t, c))
		}
	})
}
