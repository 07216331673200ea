// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"debug/elf"
	"fmt"
	"slices"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/image/gopcln"
)

// Since Go 1.18 functions are relative to the symbol runtime.text. Its address is in
// the table up to Go 1.25, but as zero in position-independent programs; it is that of
// .text, unless a C linker has put its start-up code before it; and symbols may be
// stripped. So places are tried until the code there does to the stack what the table
// says.
const (
	maxTextShift = 64 << 10
	textStep     = 16
	maxAnchors   = 16
)

// anchor is a place in the code, relative to runtime.text, right behind the first
// instruction of a function that moves the stack pointer, by depth bytes.
type anchor struct {
	offset uint64
	depth  int32
}

// findText returns the address of runtime.text.
func (f *elfFile) findText(t *gopcln.Table, g *goTable) (uint64, error) {
	anchors := g.anchors()
	if t.TextStart != 0 && f.agree(anchors, t.TextStart) {
		return t.TextStart, nil
	}
	start, ok := f.codeStart()
	if !ok {
		return 0, fmt.Errorf("no code: %w", ErrNoRules)
	}
	for shift := uint64(0); shift < maxTextShift; shift += textStep {
		if f.agree(anchors, start+shift) {
			return start + shift, nil
		}
	}
	return 0, fmt.Errorf("its code is not found: %w", ErrNoRules)
}

func (f *elfFile) codeStart() (uint64, bool) {
	if s := f.Section(".text"); s != nil {
		return s.Addr, true
	}
	if p := f.segment(elf.PT_LOAD, elf.PF_X); p != nil {
		return p.Vaddr, true
	}
	return 0, false
}

// anchors returns some, from functions all over the program.
func (g *goTable) anchors() []anchor {
	var anchors []anchor
	stride := max(1, len(g.functions)/(2*maxAnchors))
	for i := 0; i < len(g.functions) && len(anchors) < maxAnchors; i += stride {
		f := g.functions[i]
		if f.kind != goPlain {
			continue
		}
		d := g.depths(f)
		if !d.Next() || d.Value != 0 {
			continue
		}
		if before := d.End; d.Next() && d.Value > 0 {
			anchors = append(anchors, anchor{uint64(f.start) + before, d.Value})
		}
	}
	return anchors
}

// agree reports whether three quarters of the anchors fit with runtime.text there.
func (f *elfFile) agree(anchors []anchor, text uint64) bool {
	misses := 0
	for _, a := range anchors {
		if !f.fits(a, text) {
			misses++
		}
		if misses > len(anchors)/4 {
			return false
		}
	}
	return len(anchors) > 0
}

// fits knows the three ways in which functions begin: push %rbp (and mov %rsp,%rbp
// behind it), sub $imm8,%rsp and sub $imm32,%rsp.
func (f *elfFile) fits(a anchor, text uint64) bool {
	const before, behind = 7, 3
	offset, rest, ok := image.FileOffset(f.Progs, text+a.offset-before)
	if !ok || rest < before+behind {
		return false
	}
	var code [before + behind]byte
	if n, _ := f.ReadAt(code[:], int64(offset)); n < len(code) {
		return false
	}
	if a.depth == wordSize && slices.Equal(code[before-1:], []byte{0x55, 0x48, 0x89, 0xe5}) {
		return true
	}
	if slices.Equal(code[before-4:before-1], []byte{0x48, 0x83, 0xec}) {
		return int32(int8(code[before-1])) == a.depth
	}
	return slices.Equal(code[:3], []byte{0x48, 0x81, 0xec}) &&
		int32((&cursor{data: code[:], at: 3}).u32()) == a.depth
}
