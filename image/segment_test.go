// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"debug/elf"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/image"
)

func TestVirtualAddress(t *testing.T) {
	segment := func(kind elf.ProgType, flags elf.ProgFlag, off, vaddr, size uint64) *elf.Prog {
		return &elf.Prog{ProgHeader: elf.ProgHeader{Type: kind, Flags: flags, Off: off, Vaddr: vaddr, Filesz: size}}
	}
	segments := []*elf.Prog{
		segment(elf.PT_NOTE, elf.PF_R, 0x1000, 0x9000, 0x1000),
		segment(elf.PT_LOAD, elf.PF_R, 0, 0x400000, 0x1100),
		segment(elf.PT_LOAD, elf.PF_R|elf.PF_X, 0x1080, 0x402080, 0x500),
		segment(elf.PT_LOAD, elf.PF_R, math.MaxUint64-0x10, 0, math.MaxUint64),
	}
	tests := []struct {
		name   string
		offset uint64
		want   uint64
		ok     bool
	}{
		{"first byte", 0, 0x400000, true},
		{"before the code", 0x107f, 0x40107f, true},
		{"in two segments, one with code", 0x1080, 0x402080, true},
		{"last byte of code", 0x157f, 0x40257f, true},
		{"past the end", 0x1580, 0, false},
		{"a size that overflows", math.MaxUint64, 0x10, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := image.VirtualAddress(segments, tt.offset)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.ok, ok)
		})
	}
}

func TestFileOffset(t *testing.T) {
	segments := []*elf.Prog{
		{ProgHeader: elf.ProgHeader{Type: elf.PT_NOTE, Off: 0, Vaddr: 0x402080, Filesz: 0x500}},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0x1080, Vaddr: 0x402080, Filesz: 0x500, Memsz: 0x900}},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: math.MaxUint64, Vaddr: 0x500000, Filesz: 0x10}},
	}
	tests := []struct {
		name                  string
		address, offset, rest uint64
		ok                    bool
	}{
		{"before", 0x40207f, 0, 0, false},
		{"first byte", 0x402080, 0x1080, 0x500, true},
		{"last byte", 0x40257f, 0x157f, 1, true},
		{"not in the file", 0x402580, 0, 0, false},
		{"an offset that overflows", 0x500001, 0, 0xf, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			offset, rest, ok := image.FileOffset(segments, tt.address)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.offset, offset)
			assert.Equal(t, tt.rest, rest)
		})
	}
}
