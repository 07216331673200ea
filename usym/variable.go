// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"fmt"
	"os"

	"github.com/os2026/ebpf-rca/image"
)

// Variable names the global or static variable that has an address in process pid, and
// the place in it: "table_lock+0x0". Memory from the heap or of a stack has no name,
// nor have variables of each thread.
func (s *Symbolizer) Variable(pid int, address uint64) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, i, ok := s.locate(Process{PID: pid}, address, s.now())
	if !ok {
		return "", false
	}
	owner, ok := dataOwner(p.maps, i)
	if !ok {
		return "", false
	}
	module := s.module(pid, p, p.maps[owner])
	bias, ok := module.bias(p.maps, owner)
	if !ok {
		return "", false
	}
	n, offset, ok := module.variable(address - bias)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%s+%#x", s.demangler.name(n), offset), true
}

// dataOwner returns the index of a mapping of the file whose data the i-th mapping may
// be: its own, or for memory without a file the nearest below, for .bss is behind the
// rest of the data. Whether the address is the file's, its segments tell. The kernel
// shows as [heap] what of .bss is merged with it.
func dataOwner(maps []image.Mapping, i int) (int, bool) {
	m := maps[i]
	switch {
	case m.IsFile():
		return i, true
	case m.Inode != 0 || m.Path != "" && m.Path != "[heap]" && m.Path != "[anon:.bss]":
		return 0, false
	}
	for i--; i >= 0; i-- {
		if maps[i].IsFile() {
			return i, true
		}
	}
	return 0, false
}

// bias is how much higher the file's bytes are in memory than the linker put them. It
// is that of the file's code, which is one with its data; of several copies of a file,
// that whose code is nearest to the i-th mapping.
func (m *module) bias(maps []image.Mapping, i int) (uint64, bool) {
	if m == nil {
		return 0, false
	}
	id := idOf(maps[i])
	for distance := range len(maps) {
		for _, j := range []int{i - distance, i + distance} {
			if j < 0 || j >= len(maps) || maps[j].Permissions&image.Execute == 0 || idOf(maps[j]) != id {
				continue
			}
			if bias, ok := m.biasOf(maps[j]); ok {
				return bias, true
			}
		}
	}
	return 0, false
}

// biasOf finds the code segment that a mapping of code shows. It shows whole pages, so
// that it may begin before the segment.
func (m *module) biasOf(code image.Mapping) (uint64, bool) {
	page := uint64(os.Getpagesize())
	for _, p := range m.segments {
		if p.Flags&elf.PF_X == 0 || p.Filesz == 0 {
			continue
		}
		from, to := p.Off&^(page-1), p.Off+p.Filesz
		if from <= code.Offset && code.Offset < to {
			return code.Start - code.Offset + p.Off - p.Vaddr, true
		}
	}
	return 0, false
}
