// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/usym"
)

// emptyStacks is a table with a map to read stacks from that has none.
func emptyStacks(testing.TB) *stackTable {
	return newStackTable(noStacks{}, usym.New(), nil)
}

func stackOf(functions ...string) contention.Stack {
	var stack contention.Stack
	for i, f := range functions {
		stack = append(stack, contention.Frame{Function: f, Address: contention.Address(i + 1), Kernel: true})
	}
	return stack
}

func TestWithoutScheduler(t *testing.T) {
	for name, c := range map[string]struct{ all, rest contention.Stack }{
		"a sleep":            {stackOf("bpf_prog", "__schedule", "schedule", "do_nanosleep"), stackOf("bpf_prog", "__schedule", "schedule", "do_nanosleep")[3:]},
		"a preemption":       {stackOf("__schedule", "preempt_schedule_irq", "irq"), stackOf("__schedule", "preempt_schedule_irq", "irq")[2:]},
		"nothing of it":      {stackOf("futex_wait", "do_futex"), stackOf("futex_wait", "do_futex")},
		"nothing else":       {stackOf("__schedule", "schedule"), contention.Stack{}},
		"no names":           {stackOf("", "", ""), stackOf("", "", "")},
		"empty":              {nil, nil},
		"deep down it stays": {stackOf("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "schedule"), stackOf("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "schedule")},
	} {
		assert.Equal(t, c.rest, withoutScheduler(c.all), name)
	}
}

func TestKernelFramesWithoutTable(t *testing.T) {
	frames := kernelFrames(nil, []uint64{0xffffffff81000000})
	assert.Equal(t, contention.Stack{{Address: 0xffffffff81000000, Kernel: true}}, frames)
}

func TestStackThatIsNotKept(t *testing.T) {
	s := emptyStacks(t)
	assert.Equal(t, contention.NoStack, s.kernelStack(5))
	assert.Equal(t, contention.NoStack, s.userStack(0, 1))
	assert.Empty(t, s.stack(contention.NoStack))
}
