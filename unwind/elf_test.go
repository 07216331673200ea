// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallELF has .eh_frame with one function.
func smallELF(t testing.TB) []byte {
	b := builder{}
	cie := b.cie(1, "zR", []byte{pointerAbsolute}, atEntry...)
	b.fde(cie, functionAt, functionBytes)
	return elfWith(t, part{name: ".eh_frame", addr: sectionAddress, data: b.data})
}

func TestReadRefusesOtherFiles(t *testing.T) {
	patch := func(offset int, value byte) []byte {
		data := smallELF(t)
		data[offset] = value
		return data
	}
	for name, data := range map[string][]byte{
		"empty":       {},
		"text":        bytes.Repeat([]byte("text\n"), 100),
		"header only": smallELF(t)[:40],
		"32-bit":      patch(elf.EI_CLASS, byte(elf.ELFCLASS32)),
		"big-endian":  patch(elf.EI_DATA, byte(elf.ELFDATA2MSB)),
		"AArch64":     patch(18, byte(elf.EM_AARCH64)),
		"object file": patch(16, byte(elf.ET_REL)),
		"core":        patch(16, byte(elf.ET_CORE)),
	} {
		_, err := Read(bytes.NewReader(data), int64(len(data)))
		assert.ErrorIs(t, err, ErrUnsupported, name)
	}
}

func TestReadWithoutRules(t *testing.T) {
	data := elfWith(t, part{name: ".text", addr: functionAt, flags: elf.SHF_EXECINSTR, data: make([]byte, 64)})
	for _, data := range [][]byte{data, withoutSections(data)} {
		_, err := Read(bytes.NewReader(data), int64(len(data)))
		assert.ErrorIs(t, err, ErrNoRules)
		assert.NotErrorIs(t, err, ErrUnsupported)
	}
}

// Where sections are stripped, or lie about their size, .eh_frame is found by its
// segment.
func TestReadWithoutSections(t *testing.T) {
	whole := contents(t, libc)
	want := readTable(t, whole)
	for name, data := range map[string][]byte{"none": withoutSections(whole), "lying": lying(t, whole)} {
		got := readTable(t, data)
		fdes := want.sources[0].(*frames).fdes
		require.NotEmpty(t, fdes)
		for _, d := range fdes {
			require.Equal(t, want.Rule(d.start, false), got.Rule(d.start, false), "%s: at %#x", name, d.start)
			end := d.start + uint64(d.length)
			require.Equal(t, want.Rule(end, true), got.Rule(end, true), "%s: before %#x", name, end)
		}
	}
}

// lying returns a copy of an ELF file whose .eh_frame says to be of a tebibyte.
func lying(t *testing.T, data []byte) []byte {
	data = bytes.Clone(data)
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	const shoff, size = 40, 32
	at := order.Uint64(data[shoff:])
	for i, s := range f.Sections {
		if s.Name == ".eh_frame" {
			binary.LittleEndian.PutUint64(data[at+uint64(i)*sectionBytes+size:], 1<<40)
		}
	}
	return data
}

// A file that claims more than there is does not make us allocate it.
func TestReadDoesNotTrustSizes(t *testing.T) {
	data := smallELF(t)
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	at := order.Uint64(data[40:]) + sectionBytes // the first section
	require.Equal(t, ".eh_frame", f.Sections[1].Name)
	order.PutUint64(data[at+32:], maxSection)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Read(bytes.NewReader(data), 1<<62)
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

type failing struct {
	io.ReaderAt
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= f.from {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, offset)
}

func TestReadReportsWhatFails(t *testing.T) {
	data := smallELF(t)
	broken := errors.New("broken disk")
	_, err := Read(failing{bytes.NewReader(data), 0, broken}, int64(len(data)))
	assert.ErrorIs(t, err, broken)
}

func TestBytes(t *testing.T) {
	data := smallELF(t)
	n := readTable(t, data).Bytes()
	assert.Greater(t, n, fdeBytes)
	assert.Less(t, n, len(data))
}
