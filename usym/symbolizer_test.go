// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

func TestFrameOfThisProcess(t *testing.T) {
	address := uint64(reflect.ValueOf(TestFrameOfThisProcess).Pointer())
	want := contention.Frame{Module: filepath.Base(os.Args[0]), Address: contention.Address(address)}
	mapping, ok := New().Locate(os.Getpid(), address)
	require.True(t, ok)
	want.Offset = contention.Address(address - mapping.Start + mapping.Offset)
	if hasSymbols(t, "/proc/self/exe") { // the test command leaves them out, unless it keeps the binary
		want.Function = "github.com/os2026/ebpf-rca/usym.TestFrameOfThisProcess"
	}
	assert.Equal(t, want, New().Frame(os.Getpid(), address))
}

func hasSymbols(t *testing.T, path string) bool {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	return f.SectionByType(elf.SHT_SYMTAB) != nil
}

func TestFrameOfNothing(t *testing.T) {
	s := New()
	self := os.Getpid()
	for _, address := range []uint64{0, 1, 1 << 63, 1<<64 - 1} {
		assert.Equal(t, contention.Frame{Address: contention.Address(address)}, s.Frame(self, address))
		assert.Equal(t, contention.Frame{Address: contention.Address(address)}, s.Frame(1<<30, address))
	}
	assert.Nil(t, s.Frames(self, nil))
	assert.Equal(t, contention.Stack{{}, {}}, s.Frames(self, []uint64{0, 0}))
}

func TestFrameOfTheVDSO(t *testing.T) {
	maps, err := image.OpenMaps(os.Getpid())
	require.NoError(t, err)
	for _, m := range maps {
		if m.Path == "[vdso]" {
			frame := New().Frame(os.Getpid(), m.Start+16)
			assert.Equal(t, contention.Frame{Module: "[vdso]", Offset: 16, Address: contention.Address(m.Start + 16)}, frame)
			return
		}
	}
	t.Skip("this kernel maps no vdso")
}

// fake is a process whose maps the test sets.
type fake struct {
	maps  []image.Mapping
	err   error
	reads int
	clock time.Time
}

func (f *fake) symbolizer() *Symbolizer {
	s := New()
	s.now = func() time.Time { return f.clock }
	s.openMaps = func(int) ([]image.Mapping, error) {
		f.reads++
		return f.maps, f.err
	}
	return s
}

func heap(start uint64) image.Mapping {
	return image.Mapping{Start: start, End: start + 0x1000, Path: "[heap]"}
}

func TestMapsAreReadAgainButNotInAStorm(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heap(0x1000)}}
	s := f.symbolizer()
	assert.Equal(t, "[heap]", s.Frame(1, 0x1000).Module)
	for address := range uint64(100) {
		assert.Equal(t, "[heap]", s.Frame(1, 0x1000+address).Module)
	}
	assert.Equal(t, 1, f.reads, "known addresses")

	f.maps = append(f.maps, heap(0x5000))
	for address := range uint64(100) {
		assert.Empty(t, s.Frame(1, 0x5000+address).Module)
	}
	assert.Equal(t, 1, f.reads, "a storm of unknown ones")

	f.clock = f.clock.Add(refreshInterval)
	assert.Equal(t, "[heap]", s.Frame(1, 0x5000).Module)
	assert.Equal(t, 2, f.reads)

	assert.Equal(t, "[heap]", s.Frame(2, 0x5000).Module, "another process has an interval of its own")
}

func TestWhatIsKnownOfAProcessOutlivesIt(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heap(0x1000)}}
	s := f.symbolizer()
	require.Equal(t, "[heap]", s.Frame(1, 0x1000).Module)

	for _, gone := range []error{nil, os.ErrNotExist} {
		f.maps, f.err = nil, gone
		f.clock = f.clock.Add(time.Second)
		assert.Empty(t, s.Frame(1, 0x9000).Module)
		assert.Equal(t, "[heap]", s.Frame(1, 0x1000).Module)
	}

	s.Forget(1)
	assert.Empty(t, s.Frame(1, 0x1000).Module)
}

func TestLocateSharedMemory(t *testing.T) {
	f := &fake{maps: []image.Mapping{
		{Start: 0x1000, End: 0x3000, Offset: 0x4000, Device: 1, Inode: 77, Path: "/memfd:lock", Deleted: true,
			Permissions: image.Read | image.Write | image.Shared},
	}}
	m, ok := f.symbolizer().Locate(1, 0x2010)
	require.True(t, ok)
	assert.Equal(t, uint64(77), m.Inode)
	assert.Equal(t, uint64(0x5010), m.FileOffset(0x2010))
	_, ok = f.symbolizer().Locate(1, 0x3000)
	assert.False(t, ok)
}
