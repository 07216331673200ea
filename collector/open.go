// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"time"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// addOpen takes a wait whose thread does not run yet; what ended it, if anything,
// is told again by its event.
func (b *builder) addOpen(t bpf.ThreadTotals, finished map[contention.ThreadID]time.Duration, look contention.LateLook) {
	thread := b.name(t)
	if t.OpenNs == 0 || finished[thread.ID()] >= time.Duration(t.OpenNs) {
		return
	}
	w := b.wait(t.Thread, t.Object, t.OpenNs, t.UserStack, t.KernelStack)
	if t.Wake.Ns != 0 {
		w.Woken = time.Duration(t.Wake.Ns)
		w.Waker = b.waker(t.Object, t.Wake)
	}
	if t.At.Pc != 0 && isUnfinished(b.stacks.stack(w.Stack)) {
		b.addSleeper(&w, t, thread)
	}
	w.Late = look
	if w.Owner == 0 || !w.Open() {
		w.Late &^= contention.OwnerRead
	} else if t.Object.KernelLock == 0 && isGone(w.Owner) && !isGone(thread.TID) {
		// A thread that ends has let go what is the kernel's. If the one that waits is gone as
		// well, all of them have ended since the window did.
		w.Late |= contention.OwnerGone
	}
	b.log.addWait(&w)
}

// isUnfinished reports whether a stack was not walked to its end, or not at all.
func isUnfinished(stack contention.Stack) bool {
	return len(stack) == 0 || stack[len(stack)-1].Truncated
}

// addSleeper walks the stack of a thread that still sleeps. It began before it was watched,
// or when rules were missing. Where it is may tell for what it waits.
func (b *builder) addSleeper(w *contention.Wait, t bpf.ThreadTotals, thread contention.Thread) {
	stack := b.stacks.sleeper(thread.PID, t.At)
	if len(b.stacks.stack(stack)) <= len(b.stacks.stack(w.Stack)) {
		return
	}
	w.Stack = stack
	w.Resource, w.Owner = b.resource(t.Object, thread, b.stacks.stack(stack))
}
