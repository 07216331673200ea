// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"cmp"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

// A time of spinning was ended by no wake-up, and no run delay followed.
func isSpin(w contention.Wait) bool {
	return w.Waker.Kind == contention.WakerUnknown && w.Woken == w.Ran
}

func TestObserveSpinningForAMutex(t *testing.T) {
	needKernelLocks(t)
	p := startCommand(t, exec.Command(compile(t, "spin"), "pipe"))
	w := observe(t, p.pid, Options{})
	waits := w.waits(50, func(w contention.Wait) bool {
		return w.Resource.Kind == kernelKind(contention.KernelMutex) && isSpin(w)
	})
	p.end()
	threads, owned, walked := w.threads(), 0, 0
	for _, wait := range waits {
		assert.GreaterOrEqual(t, wait.Ran-wait.Begin, 20*time.Microsecond, "shorter ones are not told")
		if wait.Owner != 0 {
			owned++
			assert.Contains(t, threads, wait.Owner)
			assert.NotEqual(t, wait.Thread.TID, wait.Owner)
		}
		if strings.Contains(w.functions(wait.Stack), "write_pipe") {
			walked++
		}
	}
	// It may be free as one begins to spin. With PREEMPT_RT it is for whoever is woken.
	least := len(waits) / 2
	if kernelKind(contention.KernelMutex) == contention.KernelRT {
		least = 0
	}
	assert.Greater(t, owned, least)
	assert.NotZero(t, walked)
	assertOneAtATime(t, w)
}

// Spinning for an rwsem that goes before the sleep is not to be seen.
func TestObserveRWSemsThatAreSpunFor(t *testing.T) {
	needKernelLocks(t)
	p := startCommand(t, exec.Command(compile(t, "spin"), "file"))
	w := observe(t, p.pid, Options{})
	w.waits(20, func(w contention.Wait) bool {
		return w.Resource.Kind == kernelKind(contention.KernelRWSem) && !isSpin(w)
	})
	p.end()
	assertOneAtATime(t, w)
}

// assertOneAtATime checks that no thread was seen to do two things at once.
func assertOneAtATime(t *testing.T, w *watched) {
	t.Helper()
	type span struct{ from, to time.Duration }
	lives := make(map[contention.ThreadID][]span)
	for _, wait := range w.seen.Waits {
		lives[wait.Thread] = append(lives[wait.Thread], span{wait.Begin, wait.Ran})
	}
	for _, p := range w.seen.Preemptions {
		lives[p.Thread] = append(lives[p.Thread], span{p.Begin, p.Ran})
	}
	for thread, life := range lives {
		slices.SortFunc(life, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		for i := 1; i < len(life); i++ {
			assert.LessOrEqual(t, life[i-1].to, life[i].from, thread)
		}
	}
}

// threads are the tids that were told of.
func (w *watched) threads() map[int]bool {
	tids := make(map[int]bool)
	for _, thread := range w.seen.Threads {
		tids[thread.TID] = true
	}
	return tids
}
