// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestLocksWithoutNameAreNamedByWhoWaits(t *testing.T) {
	heap := contention.Resource{Kind: contention.Mutex, Address: 0x40, PID: 1}
	global := contention.Resource{Kind: contention.Mutex, Address: 0x80, PID: 1, Symbol: "table+0x0"}
	timer := contention.Resource{Kind: contention.Timer, PID: 1, TID: 2}
	unknown := contention.Resource{Kind: contention.Futex, Address: 0xc0, PID: 1}
	in := func(function string) contention.Stack {
		return contention.Stack{{Module: "libc.so.6"}, {Module: "libc.so.6", Function: "pthread_mutex_lock"}, {Module: "program", Function: function}}
	}
	trace := &contention.Trace{
		Window: contention.Window{Begin: 0, End: time.Second},
		Stacks: []contention.Stack{nil, in("often"), in("long"), {{Module: "libc.so.6"}}},
		Waits: []contention.Wait{
			{Resource: heap, Begin: 1, Woken: 3, Stack: 1},
			{Resource: heap, Begin: 4, Woken: 6, Stack: 1},
			{Resource: heap, Begin: 1, Stack: 2}, // to the end of the window
			{Resource: global, Begin: 1, Woken: 3, Stack: 1},
			{Resource: timer, Begin: 1, Woken: 3, Stack: 1},
			{Resource: unknown, Begin: 1, Woken: 3, Stack: 3},
		},
	}
	nameByWaiters(trace)
	var symbols []string
	for _, w := range trace.Waits {
		symbols = append(symbols, w.Resource.Symbol)
	}
	long := "waited for in long"
	assert.Equal(t, []string{long, long, long, "table+0x0", "", ""}, symbols)
}

func TestLibraryCaller(t *testing.T) {
	for name, c := range map[string]struct {
		stack contention.Stack
		want  string
	}{
		"of glibc":                {waitsIn("pthread_cond_wait"), "main"},
		"of glibc, in its thread": {append(waitsIn("pthread_cond_wait"), contention.Frame{Module: "libc.so.6", Function: "start_thread"}), "main"},
		"of a system call":        {inStatic("take", "main"), "take"},
		"of syscall()":            {inStatic("syscall", "take"), "take"},
		"of a linked library":     {inStatic("__futex_wait", "__pthread_mutex_lock", "take"), "take"},
		"of what has no name":     {contention.Stack{{Module: "libc.so.6"}, {Module: "program"}}, ""},
	} {
		caller, ok := libraryCaller(c.stack)
		assert.True(t, ok, name)
		assert.Equal(t, c.want, caller.Function, name)
	}
	for _, stack := range []contention.Stack{nil, {{Module: "libc.so.6"}}} {
		_, ok := libraryCaller(stack)
		assert.False(t, ok)
	}
}
