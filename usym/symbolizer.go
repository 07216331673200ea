// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"sync"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

// Symbolizer names addresses of any number of processes. It may be used by several
// goroutines.
type Symbolizer struct {
	mu        sync.Mutex
	processes map[int]*process
	files     files

	now      func() time.Time
	openMaps func(pid int) ([]image.Mapping, error)
}

// New returns a Symbolizer that has read nothing yet.
func New() *Symbolizer {
	return &Symbolizer{
		processes: make(map[int]*process),
		files:     make(files),
		now:       time.Now,
		openMaps:  image.OpenMaps,
	}
}

// Frame names the instruction at address: a stack's innermost pc.
func (s *Symbolizer) Frame(pid int, address uint64) contention.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(pid, address, address)
}

// Frames names a stack, innermost pc first. All others are return addresses, which
// may lie past the end of the function that made the call: each is looked up one
// byte earlier, while the frame shows it as it is.
func (s *Symbolizer) Frames(pid int, pcs []uint64) contention.Stack {
	if len(pcs) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stack := make(contention.Stack, len(pcs))
	for i, pc := range pcs {
		at := pc
		if i > 0 && pc > 0 {
			at--
		}
		stack[i] = s.frame(pid, pc, at)
	}
	return stack
}

// Locate returns the mapping that address lies in. A futex in shared memory is the
// same in every process by the mapping's Device, Inode and FileOffset.
func (s *Symbolizer) Locate(pid int, address uint64) (image.Mapping, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.locate(pid, address)
}

// Forget drops what is known of a process.
func (s *Symbolizer) Forget(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.processes, pid)
}

// frame shows pc, named by what is at address.
func (s *Symbolizer) frame(pid int, pc, address uint64) contention.Frame {
	frame := contention.Frame{Address: contention.Address(pc)}
	mapping, ok := s.locate(pid, address)
	if !ok {
		return frame
	}
	if frame.Module = mapping.Name(); frame.Module != "" {
		frame.Offset = contention.Address(mapping.FileOffset(pc))
	}
	if mapping.IsFile() {
		table := s.processes[pid].table(mapping, func() *table { return s.files.load(pid, mapping) })
		frame.Function = table.name(mapping.FileOffset(address))
	}
	return frame
}

func (s *Symbolizer) locate(pid int, address uint64) (image.Mapping, bool) {
	p := s.processes[pid]
	if p == nil {
		p = new(process)
		s.processes[pid] = p
	}
	if mapping, ok := image.Find(p.maps, address); ok {
		return mapping, true
	}
	if !p.refresh(s.now(), func() ([]image.Mapping, error) { return s.openMaps(pid) }) {
		return image.Mapping{}, false
	}
	return image.Find(p.maps, address)
}
