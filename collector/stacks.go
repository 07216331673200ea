// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/ksym"
	"github.com/os2026/ebpf-rca/usym"
)

// stackTable reads the stacks that the kernel kept and gives each the place in
// Trace.Stacks it will have. A user stack is resolved when it is first met, while
// its process still lives.
type stackTable struct {
	kept   stackMap
	user   *usym.Symbolizer
	kernel *ksym.Table
	ids    map[uint64]contention.StackID
	stacks []contention.Stack
}

// stackMap is the kernel's map of stacks.
type stackMap interface {
	Lookup(key, value any) error
}

func newStackTable(kept stackMap, user *usym.Symbolizer, kernel *ksym.Table) *stackTable {
	return &stackTable{
		kept:   kept,
		user:   user,
		kernel: kernel,
		ids:    make(map[uint64]contention.StackID),
		stacks: make([]contention.Stack, 1), // contention.NoStack
	}
}

// userStack returns the id of the user stack of process pid that the kernel calls
// name.
func (s *stackTable) userStack(name uint64, pid int) contention.StackID {
	return s.id(name, func(pcs []uint64) contention.Stack { return s.user.Frames(pid, pcs) })
}

func (s *stackTable) kernelStack(name uint64) contention.StackID {
	return s.id(name, func(pcs []uint64) contention.Stack { return kernelFrames(s.kernel, pcs) })
}

func (s *stackTable) id(name uint64, resolve func([]uint64) contention.Stack) contention.StackID {
	if name == 0 {
		return contention.NoStack
	}
	if id, ok := s.ids[name]; ok {
		return id
	}
	pcs, err := readStack(s.kept, name)
	if err != nil {
		return contention.NoStack // the kernel counted why it is not there
	}
	id := contention.StackID(len(s.stacks))
	s.stacks = append(s.stacks, resolve(pcs))
	s.ids[name] = id
	return id
}

// stack returns the frames of a stack, none if it was not taken.
func (s *stackTable) stack(id contention.StackID) contention.Stack { return s.stacks[id] }

func kernelFrames(symbols *ksym.Table, pcs []uint64) contention.Stack {
	frames := make(contention.Stack, len(pcs))
	for i, pc := range pcs {
		frames[i] = contention.Frame{Address: contention.Address(pc), Kernel: true}
		if symbol, ok := symbols.Resolve(pc); ok {
			frames[i].Function, frames[i].Module = symbol.Name, symbol.Module
		}
	}
	return withoutScheduler(frames)
}

// withoutScheduler leaves out the innermost frames that are there only because a
// program hooked to the scheduler took the stack: all up to the scheduler's entry.
func withoutScheduler(frames contention.Stack) contention.Stack {
	const deepest = 12
	for i := min(deepest, len(frames)) - 1; i >= 0; i-- {
		switch frames[i].Function {
		case "__schedule", "schedule", "preempt_schedule", "preempt_schedule_irq", "preempt_schedule_common":
			return frames[i+1:]
		}
	}
	return frames
}

// readStack reads the program counters of a stack that the kernel kept.
func readStack(kept stackMap, name uint64) ([]uint64, error) {
	var stack bpf.Stack
	if err := kept.Lookup(name, &stack); err != nil {
		return nil, fmt.Errorf("read stack %#x: %w", name, err)
	}
	if int(stack.Frames) > len(stack.Pc) {
		return nil, fmt.Errorf("read stack %#x: %w", name, errors.New("more frames than it can hold"))
	}
	return stack.Pc[:stack.Frames], nil
}
