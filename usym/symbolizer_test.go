// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"io/fs"
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
	mapping, ok := New().Locate(Process{PID: os.Getpid()}, address)
	require.True(t, ok)
	want.Offset = contention.Address(address - mapping.Start + mapping.Offset)
	want.Function = "github.com/os2026/ebpf-rca/usym.TestFrameOfThisProcess"
	got := New().Frame(Process{PID: os.Getpid()}, address)
	// The test command leaves out symbols, unless it keeps the binary; then there is
	// only the runtime's table, which has lines as well.
	if got.File != "" {
		assert.Equal(t, "symbolizer_test.go", filepath.Base(got.File))
		assert.Positive(t, got.Line)
		got.File, got.Line = "", 0
	}
	assert.Equal(t, want, got)
}

func TestFrameOfNothing(t *testing.T) {
	s := New()
	self := os.Getpid()
	for _, address := range []uint64{0, 1, 1 << 63, 1<<64 - 1} {
		assert.Equal(t, contention.Frame{Address: contention.Address(address)}, s.Frame(Process{PID: self}, address))
		assert.Equal(t, contention.Frame{Address: contention.Address(address)}, s.Frame(Process{PID: 1 << 30}, address))
	}
	_, ok := s.Variable(self, 1)
	assert.False(t, ok)
	assert.Nil(t, s.Frames(Process{PID: self}, nil))
	assert.Equal(t, contention.Stack{{}, {}}, s.Frames(Process{PID: self}, []uint64{0, 0}))
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

func heapAt(start uint64) image.Mapping {
	return image.Mapping{Start: start, End: start + 0x1000, Path: "[heap]"}
}

func TestMapsAreReadAgainButNotInAStorm(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heapAt(0x1000)}}
	s := f.symbolizer()
	assert.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x1000).Module)
	for address := range uint64(100) {
		assert.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x1000+address).Module)
	}
	assert.Equal(t, 1, f.reads, "known addresses")

	f.maps = append(f.maps, heapAt(0x5000))
	for address := range uint64(100) {
		assert.Empty(t, s.Frame(Process{PID: 1}, 0x5000+address).Module)
	}
	assert.Equal(t, 1, f.reads, "a storm of unknown ones")

	f.clock = f.clock.Add(refreshInterval)
	assert.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x5000).Module)
	assert.Equal(t, 2, f.reads)

	assert.Equal(t, "[heap]", s.Frame(Process{PID: 2}, 0x5000).Module, "another process has an interval of its own")
}

func TestOneAheadKnowsTheMapsOfProcessesThatAreGone(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heapAt(0x1000)}}
	ahead := f.symbolizer()
	of := Process{PID: 1, Space: 7}
	assert.Equal(t, "[heap]", ahead.Frame(of, 0x1000).Module)

	behind := NewBehind(ahead)
	behind.openMaps = func(int) ([]image.Mapping, error) { return nil, fs.ErrNotExist }
	assert.Equal(t, "[heap]", behind.Frame(of, 0x1000).Module)
	assert.Equal(t, "[heap]", behind.Frame(Process{PID: 2, Space: 7}, 0x1000).Module, "of another process of that space")
	assert.Empty(t, behind.Frame(Process{PID: 1}, 0x1000).Module, "by another name")
	assert.False(t, behind.Knows(Process{PID: 3}))
}

// A program that begins maps its libraries within milliseconds.
func TestMapsAreReadAgainSoonWhileThatHelps(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0)}
	s := f.symbolizer()
	for i := range uint64(20) {
		f.maps = append(f.maps, heapAt(0x1000*(i+1)))
		assert.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x1000*(i+1)).Module)
		f.clock = f.clock.Add(firstInterval)
	}
	f.reads = 0
	for range 1000 {
		assert.Empty(t, s.Frame(Process{PID: 1}, 1<<40).Module)
		f.clock = f.clock.Add(firstInterval)
	}
	assert.LessOrEqual(t, f.reads, 20, "in vain")
}

func TestProcessesAreBounded(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heapAt(0x1000)}}
	s := f.symbolizer()
	for pid := range maxProcesses + 10 {
		s.Frame(Process{PID: pid + 1}, 0x1000)
		f.clock = f.clock.Add(time.Nanosecond)
	}
	assert.Len(t, s.processes, maxProcesses)
	assert.NotContains(t, s.processes, Process{PID: 10})
	assert.Contains(t, s.processes, Process{PID: 11})
}

func TestWhatIsKnownOfAProcessOutlivesIt(t *testing.T) {
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{heapAt(0x1000)}}
	s := f.symbolizer()
	require.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x1000).Module)

	for _, gone := range []error{nil, os.ErrNotExist} {
		f.maps, f.err = nil, gone
		f.clock = f.clock.Add(time.Second)
		assert.Empty(t, s.Frame(Process{PID: 1}, 0x9000).Module)
		assert.Equal(t, "[heap]", s.Frame(Process{PID: 1}, 0x1000).Module)
	}

	s.Forget(1)
	assert.Empty(t, s.Frame(Process{PID: 1}, 0x1000).Module)
}

func TestLocateSharedMemory(t *testing.T) {
	f := &fake{maps: []image.Mapping{
		{Start: 0x1000, End: 0x3000, Offset: 0x4000, Device: 1, Inode: 77, Path: "/memfd:lock", Deleted: true,
			Permissions: image.Read | image.Write | image.Shared},
	}}
	m, ok := f.symbolizer().Locate(Process{PID: 1}, 0x2010)
	require.True(t, ok)
	assert.Equal(t, uint64(77), m.Inode)
	assert.Equal(t, uint64(0x5010), m.FileOffset(0x2010))
	_, ok = f.symbolizer().Locate(Process{PID: 1}, 0x3000)
	assert.False(t, ok)
}

func TestMovedTellsOfOtherCodeInTheSamePlace(t *testing.T) {
	file := func(start, inode uint64, permissions image.Permissions) image.Mapping {
		return image.Mapping{Start: start, End: start + 0x1000, Device: 1, Inode: inode, Path: "/lib", Permissions: permissions}
	}
	const code = image.Read | image.Execute
	program, library := file(0x1000, 1, code), file(0x5000, 2, code)
	f := &fake{clock: time.Unix(1, 0), maps: []image.Mapping{program, library}}
	s := f.symbolizer()
	of := Process{PID: 1, Space: 7}
	_, ok := s.Locate(of, 0x5000)
	require.True(t, ok)
	look := func(maps ...image.Mapping) bool {
		f.maps = maps
		return s.Moved()
	}
	assert.False(t, look(program, library))
	assert.False(t, look(program), "nothing has taken its place")
	assert.False(t, look(program, library), "it is back")
	assert.False(t, look(program, library, file(0x9000, 3, code)), "more")
	assert.True(t, look(program, file(0x5000, 4, code)))
	assert.False(t, look(program, file(0x5000, 4, code)), "told once")
	assert.False(t, look(program, file(0x5000, 5, image.Read)), "data")
	assert.False(t, look(file(0x2000, 9, code), file(0x5000, 6, code)), "another program: another space")

	assert.True(t, s.Knows(of))
	assert.False(t, s.Knows(Process{PID: 1}))
}

func TestDropGone(t *testing.T) {
	s := New()
	s.openMaps = func(pid int) ([]image.Mapping, error) {
		return []image.Mapping{{Start: 0x1000, End: 0x2000, Path: "/x"}}, nil
	}
	s.alive = func(pid int) bool { return pid == 1 }
	for pid := 1; pid <= 3; pid++ {
		s.Frame(Process{PID: pid, Space: uint64(pid)}, 0x1000)
	}
	s.DropGone()
	assert.True(t, s.Knows(Process{PID: 1, Space: 1}))
	assert.Len(t, s.processes, 1)
	s.alive = isAlive
	s.DropGone()
	assert.True(t, s.Knows(Process{PID: 1, Space: 1}), "init lives")
	assert.True(t, isAlive(os.Getpid()))
	assert.False(t, isAlive(1<<22+1), "above the greatest pid there can be")
	assert.False(t, isAlive(0))
}
