// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

// Symbolizer names addresses of any number of processes. It may be used by several
// goroutines.
type Symbolizer struct {
	mu        sync.Mutex
	processes map[Process]*process
	cache     *cache
	demangler demangler
	ahead     *Symbolizer // nil: none

	now      func() time.Time
	openMaps func(pid int) ([]image.Mapping, error)
	alive    func(pid int) bool
}

// Process says whose addresses are meant.
type Process struct {
	PID int
	// Space names what code is mapped where. Processes of one space are known by it,
	// so that one can be asked about which is gone; 0: by PID alone.
	Space uint64
}

// maxProcesses bounds how many processes are known at a time.
const maxProcesses = 4096

// key is what is known of a process under.
func (p Process) key() Process {
	if p.Space != 0 {
		p.PID = 0
	}
	return p
}

// New returns a Symbolizer that has read nothing yet.
func New() *Symbolizer {
	return &Symbolizer{
		processes: make(map[Process]*process),
		cache:     newCache(cacheLimit),
		now:       time.Now,
		openMaps:  image.OpenMaps,
		alive:     isAlive,
	}
}

// NewBehind returns a Symbolizer that is asked about addresses later than ahead is. It
// asks ahead for the maps of processes that are gone by then.
func NewBehind(ahead *Symbolizer) *Symbolizer {
	s := New()
	s.ahead = ahead
	return s
}

// Close drops all tables and closes the files that some of them read names from. What
// is asked for afterwards is read again.
func (s *Symbolizer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.processes)
	s.cache.clear()
}

// Frame names the instruction at address: a stack's innermost pc.
func (s *Symbolizer) Frame(of Process, address uint64) contention.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appendFrames(nil, of, address, address)[0]
}

// ReturnAddress is set in a pc that is one. It may lie past the end of the function that
// made the call, so it is looked up one byte earlier, while the frame shows it as it is.
const ReturnAddress = 1 << 63

// Frames names a stack, innermost pc first.
func (s *Symbolizer) Frames(of Process, pcs []uint64) contention.Stack {
	if len(pcs) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stack := make(contention.Stack, 0, len(pcs))
	for _, pc := range pcs {
		at := pc &^ ReturnAddress
		if at != pc && at > 0 {
			stack = s.appendFrames(stack, of, at, at-1)
		} else {
			stack = s.appendFrames(stack, of, at, at)
		}
	}
	return stack
}

// Locate returns the mapping that address lies in. A futex in shared memory is the
// same in every process by the mapping's Device, Inode and FileOffset.
func (s *Symbolizer) Locate(of Process, address uint64) (image.Mapping, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, i, ok := s.locate(of, address, s.now())
	if !ok {
		return image.Mapping{}, false
	}
	return p.maps[i], true
}

// Knows reports whether it is known what a process maps: if not, its frames have no
// names for that reason.
func (s *Symbolizer) Knows(of Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.processes[of.key()]
	return p != nil && len(p.maps) > 0
}

// maxLook is how long Moved may take.
const maxLook = 20 * time.Millisecond

// Moved looks whether code lies where other code lay before, in any process that is
// known by its space. It tells of each change once, and may come to it at a later call.
func (s *Symbolizer) Moved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	begin, moved := time.Now(), false
	for _, p := range s.processes {
		if time.Since(begin) > maxLook {
			break
		}
		if !p.lasts || p.pid == 0 {
			continue
		}
		read := p.read
		p.refresh(s.now(), func() ([]image.Mapping, error) {
			maps, err := s.openMaps(p.pid)
			if err != nil || len(maps) == 0 {
				p.pid, p.read = 0, read // it is gone
			}
			return maps, err
		})
		moved = moved || p.moved
		p.moved = false
	}
	return moved
}

// Forget drops what is known of a process by its pid. The tables of its files stay
// while there is room, for others may map them.
func (s *Symbolizer) Forget(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.processes, Process{PID: pid})
	s.cache.drop(fileKey{jit: pid})
}

// DropGone forgets the processes that have ended, whose stacks are all named by then.
func (s *Symbolizer) DropGone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.processes {
		if !s.alive(p.pid) {
			delete(s.processes, key)
			s.cache.drop(fileKey{jit: key.PID})
		}
	}
}

func isAlive(pid int) bool { return pid != 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// appendFrames appends pc, named by what is at address: a function, behind those that
// were inlined into it there.
func (s *Symbolizer) appendFrames(stack contention.Stack, of Process, pc, address uint64) contention.Stack {
	frame := contention.Frame{Address: contention.Address(pc)}
	now := s.now()
	p, i, ok := s.locate(of, address, now)
	if !ok {
		return append(stack, frame)
	}
	m := p.maps[i]
	if frame.Module = m.Name(); frame.Module != "" {
		frame.Offset = contention.Address(m.FileOffset(pc))
	}
	places := s.module(of.PID, p, m).at(m.FileOffset(address))
	for _, place := range places {
		frame.Function = s.demangler.name(place.function)
		frame.File, frame.Line, frame.Inlined = place.file, place.line, place.inlined
		stack = append(stack, frame)
	}
	if len(places) > 0 {
		return stack
	}
	if mayHold(m) {
		if name := s.jitName(of.PID, p, address, now); name != "" {
			frame.Function, frame.Module, frame.Offset = name, jitModule, 0
		}
	}
	return append(stack, frame)
}

// locate returns what is known of a process, and the index of the mapping that address
// lies in.
func (s *Symbolizer) locate(of Process, address uint64, now time.Time) (*process, int, bool) {
	p := s.processes[of.key()]
	if p == nil {
		s.makeRoom()
		p = &process{lasts: of.Space != 0}
		s.processes[of.key()] = p
	}
	p.pid = of.PID
	i, ok := p.locate(address, now, func() ([]image.Mapping, error) { return s.mapsOf(of) })
	return p, i, ok
}

func (s *Symbolizer) mapsOf(of Process) ([]image.Mapping, error) {
	maps, err := s.openMaps(of.PID)
	if len(maps) > 0 || s.ahead == nil {
		return maps, err
	}
	return s.ahead.known(of), nil
}

// known returns the maps of a process as they were read last.
func (s *Symbolizer) known(of Process) []image.Mapping {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.processes[of.key()]; p != nil {
		return p.maps
	}
	return nil
}

// makeRoom forgets the process whose maps are the oldest if there are too many.
func (s *Symbolizer) makeRoom() {
	if len(s.processes) < maxProcesses {
		return
	}
	var oldest Process
	var read time.Time
	for key, p := range s.processes {
		if read.IsZero() || p.read.Before(read) {
			oldest, read = key, p.read
		}
	}
	delete(s.processes, oldest)
	s.cache.drop(fileKey{jit: oldest.PID})
}
