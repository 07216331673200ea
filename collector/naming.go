// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// nameByWaiters names the locks that lie in memory without a name, as on the heap, by
// the function that waited for them the longest. A wait that has not ended lasts to
// the end of the window.
func nameByWaiters(trace *contention.Trace) {
	waited := make(map[contention.Resource]map[string]time.Duration)
	for i := range trace.Waits {
		w := &trace.Waits[i]
		if !lacksName(w.Resource) {
			continue
		}
		caller, ok := libraryCaller(trace.Stack(w.Stack))
		if !ok || caller.Function == "" || caller.Guessed {
			continue
		}
		end := w.Woken
		if w.Open() {
			end = trace.Window.End
		}
		if waited[w.Resource] == nil {
			waited[w.Resource] = make(map[string]time.Duration)
		}
		waited[w.Resource][caller.Function] += end - w.Begin
	}
	names := make(map[contention.Resource]string, len(waited))
	for resource, functions := range waited {
		names[resource] = "waited for in " + longest(functions)
	}
	for i := range trace.Waits {
		if name, ok := names[trace.Waits[i].Resource]; ok {
			trace.Waits[i].Resource.Symbol = name
		}
	}
}

// lacksName reports whether a resource is an address in a process that nothing names.
func lacksName(r contention.Resource) bool { return r.PID != 0 && r.Address != 0 && r.Symbol == "" }

// longest returns the function of the longest time, of those alike the first by name.
func longest(functions map[string]time.Duration) string {
	var best string
	for name, d := range functions {
		if best == "" || d > functions[best] || d == functions[best] && name < best {
			best = name
		}
	}
	return best
}
