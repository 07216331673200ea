// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

const (
	// maxTableBytes bounds the unwind tables that are kept; all are dropped beyond it.
	maxTableBytes = 48 << 20
	// maxOneTable bounds that of one file, which else counts as one without rules: files
	// so large that they drop each other's tables again and again take all the time.
	maxOneTable = maxTableBytes / 4 * 3
	// maxPlaces bounds how many files of how many programs are known.
	maxPlaces = 1 << 14
	// maxAhead bounds the tables that are read before they are asked for, and maxCodeAhead
	// the code of a file that one is read for.
	maxAhead     = 8 << 20
	maxCodeAhead = 8 << 20
	// searchBytes is how far up the stack a return address is searched for.
	searchBytes = 1 << 10
)

// code reads unwind rules from the files that programs map. Each file is read once.
type code struct {
	maps    *usym.Symbolizer
	byPlace map[place]*codeTable
	byFile  map[fileState]*codeTable
	bytes   int
}

// place is a file as the maps of a program name it.
type place struct {
	space, device, inode uint64
	path                 string
}

// fileState is one state of one file: an inode is used again, and a build overwrites.
type fileState struct {
	device, inode uint64
	size          int64
	changed       unix.Timespec
}

// codeTable is the rules of a file. A nil one has none.
type codeTable struct {
	rules    *unwind.Table
	segments []*elf.Prog
	foreign  bool // of another kind of processor, or of 32 bits
}

func newCode(maps *usym.Symbolizer) *code {
	c := &code{maps: maps}
	c.drop()
	return c
}

func (c *code) drop() {
	c.byPlace, c.byFile, c.bytes = make(map[place]*codeTable), make(map[fileState]*codeTable), 0
}

func (c *code) moved() bool { return c.maps.Moved() }

// readAhead reads the rules of the files that a process has mapped. While its threads wait
// by the thousand, to find them missing one by one takes far longer.
func (c *code) readAhead(pid int) {
	maps, err := image.OpenMaps(pid)
	if err != nil {
		return // they are read when they are asked for
	}
	for _, m := range maps {
		if m.IsFile() && m.Permissions&image.Execute != 0 && m.End-m.Start <= maxCodeAhead && c.bytes < maxAhead {
			c.read(pid, m)
		}
	}
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
	if !ok {
		return codeRule{}
	}
	if m.Permissions&image.Execute == 0 {
		return codeRule{known: true} // no code at all
	}
	if !m.IsFile() && m.Path != image.VDSO {
		return codeRule{Rule: unwind.FramePointer(), guessed: true, known: true}
	}
	t, ok := c.table(p, m)
	if !ok {
		return codeRule{}
	}
	rule := t.find(m.FileOffset(pc), returnAddress)
	if rule.Kind == unwind.Unknown && signalReturn(p.PID, pc) {
		rule.Kind = unwind.Signal
	}
	return codeRule{Rule: rule, known: true, searchable: !t.isForeign()}
}

// find looks a return address up in the function that made the call. Where none has made
// it, as where a coroutine begins, it is the beginning of a function.
func (t *codeTable) find(offset uint64, returnAddress bool) unwind.Rule {
	if t == nil || t.rules == nil {
		return unwind.Rule{}
	}
	address, ok := image.VirtualAddress(t.segments, offset)
	if !ok {
		return unwind.Rule{}
	}
	rule := t.rules.Rule(address, returnAddress)
	if rule.Kind == unwind.Unknown && returnAddress {
		rule = t.rules.Rule(address, false)
	}
	return rule
}

func (t *codeTable) isForeign() bool { return t != nil && t.foreign }

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

// table returns the rules of the file that m shows. It is false if the file could not be
// opened, as when the process has just ended: another may show it.
func (c *code) table(p usym.Process, m image.Mapping) (*codeTable, bool) {
	at := place{p.Space, m.Device, m.Inode, m.Path}
	if t, ok := c.byPlace[at]; ok {
		return t, true
	}
	t, ok := c.read(p.PID, m)
	if ok {
		c.byPlace[at] = t
	}
	return t, ok
}

// read returns the rules of the file that m shows to process pid, as table does.
func (c *code) read(pid int, m image.Mapping) (*codeTable, bool) {
	f, size, state, err := openCode(pid, m)
	if err != nil {
		return nil, false
	}
	if closer, ok := f.(io.Closer); ok {
		defer closer.Close()
	}
	t, ok := c.byFile[state]
	if !ok || state == (fileState{}) {
		t = readTable(f, size)
		c.keep(state, t)
	}
	return t, true
}

func (c *code) keep(state fileState, t *codeTable) {
	bytes := 0
	if t.rules != nil {
		bytes = t.rules.Bytes()
	}
	if bytes > maxOneTable {
		t.rules, bytes = nil, 0
	}
	if c.bytes+bytes > maxTableBytes || len(c.byPlace) > maxPlaces {
		c.drop()
	}
	c.bytes += bytes
	c.byFile[state] = t
}

// readTable returns the rules of an ELF file, which has none if they cannot be read.
func readTable(f io.ReaderAt, size int64) *codeTable {
	headers, err := image.ReadELF(f, size)
	if err != nil {
		return &codeTable{}
	}
	rules, err := unwind.Read(f, size)
	if err != nil {
		return &codeTable{segments: headers.Progs, foreign: errors.Is(err, unwind.ErrUnsupported)}
	}
	return &codeTable{rules: rules, segments: headers.Progs}
}

// openCode opens the ELF image that m shows. What can be closed is to be closed. The
// state is that of a file, zero for one in memory.
func openCode(pid int, m image.Mapping) (io.ReaderAt, int64, fileState, error) {
	if m.Path == image.VDSO {
		r, err := image.OpenVDSO(pid, m)
		if err != nil {
			return nil, 0, fileState{}, err
		}
		return r, r.Size(), fileState{}, nil
	}
	f, err := image.Open(pid, m)
	if err != nil {
		return nil, 0, fileState{}, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		f.Close()
		return nil, 0, fileState{}, fmt.Errorf("look at %s: %w", f.Name(), err)
	}
	return f, stat.Size, fileState{uint64(stat.Dev), stat.Ino, stat.Size, stat.Ctim}, nil
}
