// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"slices"

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
	unwind *unwinder
	user   *usym.Symbolizer
	kernel *ksym.Table
	ids    map[uint64]contention.StackID // by the kernel's name
	walked map[string]contention.StackID // by what they hold: those that were finished here
	stacks []contention.Stack
	lost   uint64 // named by events, and not there
}

// stackMap is the kernel's map of stacks.
type stackMap interface {
	Lookup(key, value any) error
}

func newStackTable(kept stackMap, unwind *unwinder, user *usym.Symbolizer, kernel *ksym.Table) *stackTable {
	return &stackTable{
		kept:   kept,
		unwind: unwind,
		user:   user,
		kernel: kernel,
		ids:    make(map[uint64]contention.StackID),
		walked: make(map[string]contention.StackID),
		stacks: make([]contention.Stack, 1), // contention.NoStack
	}
}

// userStack returns the id of the user stack of process pid that the kernel calls
// name.
func (s *stackTable) userStack(name uint64, pid int) contention.StackID {
	if name == 0 {
		return contention.NoStack
	}
	if id, ok := s.ids[name]; ok {
		return id
	}
	w, ok := s.unwind.take(name)
	if !ok {
		stack, err := readStack(s.kept, name)
		if err != nil {
			s.lost++
			return contention.NoStack
		}
		w = walked{
			space: stack.Space, pcs: slices.Clone(stack.Pc[:stack.Frames]),
			sure: int(stack.Sure), truncated: stack.Truncated != 0,
		}
	}
	id, final := s.addWalked(pid, w)
	if ok || final {
		s.ids[name] = id
	}
	return id
}

// knows reports whether the user stack that the kernel calls name keeps the id that it has.
func (s *stackTable) knows(name uint64) bool {
	_, ok := s.ids[name]
	return ok || name == 0
}

// sleeper returns the id of the user stack of a thread that slept already when it was
// first seen.
func (s *stackTable) sleeper(pid int, at bpf.Cursor) contention.StackID {
	w, err := s.unwind.sleeper(pid, at)
	if err != nil {
		s.lost++
		return contention.NoStack
	}
	id, _ := s.addWalked(pid, w)
	return id
}

func (s *stackTable) kernelStack(name uint64) contention.StackID {
	if name == 0 {
		return contention.NoStack
	}
	if id, ok := s.ids[name]; ok {
		return id
	}
	stack, err := readStack(s.kept, name)
	if err != nil {
		s.lost++
		return contention.NoStack
	}
	id := s.add(kernelFrames(s.kernel, stack.Pc[:stack.Frames]))
	s.ids[name] = id
	return id
}

func (s *stackTable) add(stack contention.Stack) contention.StackID {
	s.stacks = append(s.stacks, stack)
	return contention.StackID(len(s.stacks) - 1)
}

// addWalked gives stacks that are alike one id: the kernel's names for them may differ.
// It is not final where nothing is known of the process, which may have ended: another
// of the same address space may tell.
func (s *stackTable) addWalked(pid int, w walked) (id contention.StackID, final bool) {
	of := usym.Process{PID: pid, Space: w.space}
	key := fmt.Sprintf("%x %d %t %x", w.space, w.sure, w.truncated, w.pcs)
	if id, ok := s.walked[key]; ok {
		return id, true
	}
	frames := s.frames(of, w)
	final = s.user.Knows(of)
	if !final {
		key = fmt.Sprintf("%s of %d", key, pid)
		if id, ok := s.walked[key]; ok {
			return id, false
		}
	}
	id = s.add(frames)
	s.walked[key] = id
	return id, final
}

// maxKept is how many stacks may be kept for the next window.
const maxKept = 1 << 12

// begin forgets the stacks of earlier windows if they are many: all that come again are
// still in the kernel, but for those that were finished here.
func (s *stackTable) begin() {
	if len(s.stacks) > maxKept {
		clear(s.ids)
		clear(s.walked)
		s.stacks = make([]contention.Stack, 1)
	}
}

// frames names the frames of a user stack, and says which are not to be relied on.
func (s *stackTable) frames(of usym.Process, w walked) contention.Stack {
	frames := s.user.Frames(of, w.pcs)
	done := 0 // of the pcs; one stands for a function and what was inlined into it
	for i := range frames {
		frames[i].Guessed = done >= w.sure
		if !frames[i].Inlined {
			done++
		}
	}
	if len(frames) > 0 {
		frames[len(frames)-1].Truncated = w.truncated
	}
	return withTailCall(s.user, of, frames)
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

// readStack reads a stack that the kernel kept.
func readStack(kept stackMap, name uint64) (bpf.Stack, error) {
	var stack bpf.Stack
	if err := kept.Lookup(name, &stack); err != nil {
		return bpf.Stack{}, fmt.Errorf("read stack %#x: %w", name, err)
	}
	if int(stack.Frames) > len(stack.Pc) || stack.Sure > stack.Frames {
		return bpf.Stack{}, fmt.Errorf("read stack %#x: %w", name, errors.New("more frames than it can hold"))
	}
	return stack, nil
}
