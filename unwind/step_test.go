// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// memory is a stack by addresses.
type memory map[uint64]uint64

func (m memory) read(address uint64) (uint64, bool) {
	word, ok := m[address]
	return word, ok
}

func TestStep(t *testing.T) {
	stack := memory{0xffc: 0x403000, 0x1008: 0x1100, 0x1010: 0x401234, 0x1028: 0x405678, 0x1020: 0x2000, 0x1030: 0}
	regs := Registers{PC: 0x400000, SP: 0x1000, FP: 0x1020}
	for name, c := range map[string]struct {
		rule Rule
		want Registers
		ok   bool
	}{
		"by SP":              {Rule{FromSP, 0x18, 0}, Registers{0x401234, 0x1018, 0x1020}, true},
		"by SP, FP saved":    {Rule{FromSP, 0x18, -16}, Registers{0x401234, 0x1018, 0x1100}, true},
		"by FP":              {FramePointer(), Registers{0x405678, 0x1030, 0x2000}, true},
		"no caller":          {Rule{FromSP, 0x38, 0}, Registers{0, 0x1038, 0x1020}, true},
		"not readable":       {Rule{FromSP, 0x40, 0}, Registers{}, false},
		"FP is not readable": {Rule{FromSP, 0x18, -8 * 3}, Registers{}, false},
		"no progress":        {Rule{FromFP, -0x20, 0}, Registers{}, false},
		"backwards":          {Rule{FromFP, -0x28, 0}, Registers{}, false},
		"less than a word":   {Rule{FromFP, -0x1c, 0}, Registers{}, false},
		"around":             {Rule{FromSP, -0x1000, 0}, Registers{}, false},
		"end":                {Rule{Kind: End}, Registers{}, false},
		"unknown":            {Rule{}, Registers{}, false},
	} {
		got, ok := c.rule.Step(regs, stack.read)
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, c.want, got, name)
	}
}

// A handler's stack may lie above the one that was interrupted.
func TestStepOverSignal(t *testing.T) {
	stack := memory{0x9000 + 120: 0xf0, 0x9000 + 160: 0x1000, 0x9000 + 168: 0x401000}
	got, ok := Rule{Kind: Signal}.Step(Registers{PC: 1, SP: 0x9000, FP: 3}, stack.read)
	assert.True(t, ok)
	assert.Equal(t, Registers{PC: 0x401000, SP: 0x1000, FP: 0xf0}, got)
	stack[0x9000+160] = 0x9000
	_, ok = Rule{Kind: Signal}.Step(Registers{SP: 0x9000}, stack.read)
	assert.False(t, ok, "back to itself")
	delete(stack, 0x9000+120)
	_, ok = Rule{Kind: Signal}.Step(Registers{SP: 0x9000}, stack.read)
	assert.False(t, ok, "not readable")
}
