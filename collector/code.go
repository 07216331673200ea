// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"debug/elf"
	"io"
	"strings"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

const (
	// maxTableBytes bounds the unwind tables that are kept; all are dropped beyond it.
	maxTableBytes = 48 << 20
	// searchBytes is how far up the stack a return address is searched for.
	searchBytes = 1 << 10
)

// code reads unwind rules from the files that programs map. Each file is read once.
type code struct {
	maps   *usym.Symbolizer
	tables map[fileID]*codeTable
	bytes  int
}

// fileID is a file as a process's maps name it.
type fileID struct {
	device, inode uint64
	path          string
}

// codeTable is the rules of a file. A nil one has none.
type codeTable struct {
	rules    *unwind.Table
	segments []*elf.Prog
}

func newCode(maps *usym.Symbolizer) *code {
	return &code{maps: maps, tables: make(map[fileID]*codeTable)}
}

// find knows the code of a file by what the compiler says of it. Code that was made at
// run time keeps frame pointers, by custom. What a signal handler returns to may lack
// a rule, and is known by what it does.
func (c *code) find(p usym.Process, pc uint64, returnAddress bool) codeRule {
	inside := pc
	if returnAddress {
		inside--
	}
	m, ok := c.maps.Locate(p, inside)
	if !ok || m.Permissions&image.Execute == 0 {
		return codeRule{}
	}
	if !m.IsFile() && m.Path != image.VDSO {
		return codeRule{Rule: unwind.FramePointer(), guessed: true, mapped: true}
	}
	rule := c.table(p.PID, m).find(m.FileOffset(pc), returnAddress)
	if rule.Kind == unwind.Unknown && signalReturn(p.PID, pc) {
		rule.Kind = unwind.Signal
	}
	return codeRule{Rule: rule, mapped: true}
}

func (t *codeTable) find(offset uint64, returnAddress bool) unwind.Rule {
	if t == nil {
		return unwind.Rule{}
	}
	address, ok := image.VirtualAddress(t.segments, offset)
	if !ok {
		return unwind.Rule{}
	}
	return t.rules.Rule(address, returnAddress)
}

// search takes the first word that is an address behind a call of the function that the
// code is in, or if there is none, behind any call: a function may have been jumped to,
// and words may be left over from earlier calls.
func (c *code) search(p usym.Process, at unwind.Registers, read func(uint64) (uint64, bool)) unwind.Rule {
	memory, err := image.OpenMemory(p.PID)
	if err != nil {
		return unwind.Rule{}
	}
	defer memory.Close()
	own := c.maps.Frame(p, at.PC).Function
	calls := func(address uint64) (call, ofOwn bool) {
		if m, ok := c.maps.Locate(p, address-1); !ok || m.Permissions&image.Execute == 0 {
			return false, false
		}
		var before [unwind.LongestCall]byte
		if _, err := memory.ReadAt(before[:], int64(address)-int64(len(before))); err != nil {
			return false, false
		}
		call, displacement, direct := unwind.BehindCall(before[:])
		if !direct || own == "" {
			return call, false
		}
		called := c.maps.Frame(p, address+uint64(int64(displacement))).Function
		return call, strings.TrimSuffix(called, "@plt") == own
	}
	rule, found := unwind.Scan(at.SP, searchBytes, read, func(address uint64) bool {
		_, ofOwn := calls(address)
		return ofOwn
	})
	if !found {
		rule, _ = unwind.Scan(at.SP, searchBytes, read, func(address uint64) bool {
			call, _ := calls(address)
			return call
		})
	}
	return rule
}

func signalReturn(pid int, pc uint64) bool {
	memory, err := image.OpenMemory(pid)
	if err != nil {
		return false
	}
	defer memory.Close()
	instructions := make([]byte, unwind.LongestSignalReturn)
	n, _ := memory.ReadAt(instructions, int64(pc))
	return unwind.SignalReturn(instructions[:n])
}

// table returns the rules of the file that m shows.
func (c *code) table(pid int, m image.Mapping) *codeTable {
	id := fileID{m.Device, m.Inode, m.Path}
	if t, ok := c.tables[id]; ok {
		return t
	}
	t, bytes := readTable(pid, m)
	if c.bytes += bytes; c.bytes > maxTableBytes {
		clear(c.tables)
		c.bytes = bytes
	}
	c.tables[id] = t
	return t
}

// readTable returns the rules of the file that m shows, nil if none can be read, and
// the memory they take.
func readTable(pid int, m image.Mapping) (*codeTable, int) {
	f, size, err := openCode(pid, m)
	if err != nil {
		return nil, 0
	}
	if closer, ok := f.(io.Closer); ok {
		defer closer.Close()
	}
	headers, err := image.ReadELF(f, size)
	if err != nil {
		return nil, 0
	}
	rules, err := unwind.Read(f, size)
	if err != nil {
		return nil, 0
	}
	return &codeTable{rules: rules, segments: headers.Progs}, rules.Bytes()
}

// openCode opens the ELF image that m shows. What can be closed is to be closed.
func openCode(pid int, m image.Mapping) (io.ReaderAt, int64, error) {
	if m.Path == image.VDSO {
		r, err := image.OpenVDSO(pid, m)
		if err != nil {
			return nil, 0, err
		}
		return r, r.Size(), nil
	}
	f, err := image.Open(pid, m)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
