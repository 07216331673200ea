// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScan(t *testing.T) {
	stack := memory{0x1000: 1, 0x1008: 2, 0x1010: 0x401000, 0x1018: 0x402000, ^uint64(0) - 7: 0x403000}
	isReturn := func(address uint64) bool { return address >= 0x400000 }
	for name, c := range map[string]struct {
		sp    uint64
		limit int
		cfa   int32 // 0: not found
	}{
		"third word":     {0x1000, 64, 0x18},
		"first word":     {0x1010, 8, 8},
		"not aligned":    {0x1009, 64, 0xf},
		"just inside":    {0x1000, 24, 0x18},
		"limit":          {0x1000, 23, 0},
		"negative limit": {0x1000, -1, 0},
		"not readable":   {0xff8, 64, 0},
		"around the end": {^uint64(0) - 2, 64, 0},
		"last word":      {^uint64(0) - 7, 64, 0},
	} {
		rule, ok := Scan(c.sp, c.limit, stack.read, isReturn)
		assert.Equal(t, c.cfa != 0, ok, name)
		if ok {
			assert.Equal(t, Rule{Kind: FromSP, CFA: c.cfa}, rule, name)
		} else {
			assert.Equal(t, Rule{}, rule, name)
		}
	}
}

func TestBehindCall(t *testing.T) {
	ok, rel, direct := BehindCall([]byte{0x90, 0xe8, 0xfe, 0xff, 0xff, 0xff})
	assert.True(t, ok && direct)
	assert.Equal(t, int32(-2), rel)
	for name, code := range map[string][]byte{
		"call *%rax":              {0xff, 0xd0},
		"call *%r11":              {0x41, 0xff, 0xd3},
		"notrack call *%rax":      {0x3e, 0xff, 0xd0},
		"call *(%rax)":            {0xff, 0x10},
		"call *8(%rax)":           {0xff, 0x50, 0x08},
		"call *0x200(%rbx)":       {0xff, 0x93, 0, 2, 0, 0},
		"call *0x100(%rip)":       {0xff, 0x15, 0, 1, 0, 0},
		"call *(%rsp)":            {0xff, 0x14, 0x24},
		"call *8(%rsp)":           {0xff, 0x54, 0x24, 0x08},
		"call *(%rax,%rbx,8)":     {0xff, 0x14, 0xd8},
		"call *0x10(,%rbx,8)":     {0xff, 0x14, 0xdd, 0x10, 0, 0, 0},
		"call *0x100(%rsp)":       {0xff, 0x94, 0x24, 0, 1, 0, 0},
		"call *0x100(%r12,%r9,1)": {0x43, 0xff, 0x94, 0x0c, 0, 1, 0, 0},
	} {
		ok, rel, direct := BehindCall(append([]byte{0x90, 0x90}, code...))
		assert.True(t, ok, name)
		assert.False(t, direct, name)
		assert.Zero(t, rel, name)
		ok, _, _ = BehindCall(code)
		assert.True(t, ok, name+", nothing before")
	}
}

func TestBehindCallRefuses(t *testing.T) {
	for name, code := range map[string][]byte{
		"nothing":          {},
		"one byte":         {0xff},
		"call cut off":     {0xe8, 1, 2, 3},
		"jmp *%rax":        {0xff, 0xe0},
		"push 8(%rax)":     {0xff, 0x70, 0x08},
		"far call":         {0xff, 0x58, 0x08},
		"jmp rel32":        {0xe9, 1, 2, 3, 4},
		"call and a nop":   {0xff, 0xd0, 0x90},
		"call e8 and more": {0xe8, 1, 2, 3, 4, 0x90, 0x90},
		"prefix alone":     {0x41, 0xff},
	} {
		ok, _, _ := BehindCall(code)
		assert.False(t, ok, name)
	}
}

func TestSignalReturn(t *testing.T) {
	assert.True(t, SignalReturn([]byte{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05, 0x90}))
	assert.True(t, SignalReturn([]byte{0xb8, 15, 0, 0, 0, 0x0f, 0x05}))
	assert.False(t, SignalReturn([]byte{0xb8, 14, 0, 0, 0, 0x0f, 0x05}))
	assert.False(t, SignalReturn([]byte{0xb8, 15, 0, 0, 0, 0x0f}))
}
