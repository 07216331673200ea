// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

// emptyStacks is a table with a map to read stacks from that has none.
func emptyStacks(testing.TB) *stackTable {
	return newStackTable(noStacks{}, newUnwinder(new(queue), nil, nil), usym.New(), nil)
}

// queue holds walks that were not finished.
type queue [][]byte

func (q *queue) next() ([]byte, error) {
	if len(*q) == 0 {
		return nil, nil
	}
	raw := (*q)[0]
	*q = (*q)[1:]
	return raw, nil
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

func TestStackIsFinishedWhenItIsNamed(t *testing.T) {
	misses := new(queue)
	unwinder := newUnwinder(misses,
		fakeCode{rules: map[uint64]codeRule{0xa: exact(unwind.FromSP, 8), 0xb: exact(unwind.FromSP, 8)}},
		&fakeRules{rules: map[bpf.RuleKey]bpf.Rule{}, room: 100})
	s := newStackTable(noStacks{}, unwinder, usym.New(), nil)
	for name, words := range map[uint64][]uint64{0x51: {0xb, 0}, 0x52: {0xb, 0}, 0x53: {0xb}} {
		m := missAt(0xa, words...)
		m.Name = name
		*misses = append(*misses, bytesOf(*m))
	}
	whole, again, part := s.userStack(0x51, 1), s.userStack(0x52, 1), s.userStack(0x53, 1)
	assert.Equal(t, contention.Stack{{Address: 0xa}, {Address: 0xb}}, s.stack(whole))
	assert.Equal(t, whole, again, "alike but for the name")
	assert.Equal(t, contention.Stack{{Address: 0xa}, {Address: 0xb, Truncated: true}}, s.stack(part))
	incomplete, err := unwinder.state()
	assert.Equal(t, uint64(1), incomplete)
	assert.NoError(t, err)
	assert.Empty(t, unwinder.finished, "each is taken once")

	*misses = append(*misses, []byte{1, 2, 3})
	assert.Equal(t, 1, unwinder.work())
	_, err = unwinder.state()
	assert.ErrorIs(t, err, errShort)
}

func TestFramesSayWhatIsGuessed(t *testing.T) {
	s := emptyStacks(t)
	frames := s.frames(usym.Process{PID: 1}, walked{pcs: []uint64{0xa, 0xb, 0xc}, sure: 2, truncated: true})
	assert.Equal(t, contention.Stack{{Address: 0xa}, {Address: 0xb}, {Address: 0xc, Guessed: true, Truncated: true}}, frames)
}
