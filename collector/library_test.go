// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestRuntimeKind(t *testing.T) {
	parked := func(functions ...string) contention.Stack {
		stack := contention.Stack{{Module: "libc.so.6"}, {Module: "libc.so.6", Function: "pthread_cond_wait"}}
		for _, f := range functions {
			stack = append(stack, contention.Frame{Module: "libjvm.so", Function: f})
		}
		return stack
	}
	impostor := parked("os::PlatformEvent::park", "ObjectMonitor::enter")
	for i := range impostor {
		impostor[i].Module = "program"
	}
	guessed := parked("ObjectMonitor::enter")
	guessed[2].Guessed = true
	for name, c := range map[string]struct {
		stack contention.Stack
		kind  contention.Kind
	}{
		"HotSpot, synchronized":       {parked("os::PlatformEvent::park", "ObjectMonitor::EnterI", "ObjectMonitor::enter"), contention.Monitor},
		"HotSpot, Object.wait":        {parked("os::PlatformEvent::park", "ObjectMonitor::wait", "JVM_MonitorWait"), contention.CondVar},
		"HotSpot, again after notify": {parked("os::PlatformEvent::park", "ObjectMonitor::ReenterI", "ObjectMonitor::wait"), contention.Monitor},
		"HotSpot, sleep":              {parked("os::PlatformEvent::park", "JavaThread::sleep"), contention.Timer},
		"HotSpot, LockSupport.park":   {parked("Parker::park", "Unsafe_Park"), contention.Futex},
		"HotSpot, for itself":         {parked("os::PlatformMonitor::wait"), ""},
		"its names in a program":      {impostor, ""},
		"a guess":                     {guessed, ""},
		"Rust, mutex":                 {inStatic("syscall", "std::sys::sync::mutex::futex::Mutex::lock_contended", "main"), contention.Mutex},
		"Rust, older":                 {inStatic("syscall", "std::sys::unix::locks::futex_mutex::Mutex::lock_contended"), contention.Mutex},
		"Rust, reader":                {inStatic("syscall", "std::sys::sync::rwlock::futex::RwLock::read_contended"), contention.RWLock},
		"Rust, writer":                {inStatic("syscall", "std::sys::sync::rwlock::futex::RwLock::write_contended"), contention.RWLock},
		"Rust, condition variable":    {inStatic("syscall", "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout"), contention.CondVar},
		"parking_lot":                 {inStatic("syscall", "parking_lot::raw_mutex::RawMutex::lock_slow"), contention.Monitor},
		"parking_lot, reader":         {inStatic("syscall", "parking_lot::raw_rwlock::RawRwLock::lock_shared_slow"), contention.Monitor},
		"a method of the same name":   {inStatic("app::Mutex::lock_contended"), ""},
		"no stack":                    {nil, ""},
	} {
		assert.Equal(t, c.kind, runtimeKind(c.stack), name)
	}
}

func TestLibraryKindOfPartsThatAreJumpedTo(t *testing.T) {
	for function, kind := range map[string]contention.Kind{
		"__new_sem_wait_slow64.constprop.0": contention.Semaphore,
		"___pthread_mutex_lock":             contention.Mutex,
		"__GI___pthread_mutex_lock":         contention.Mutex,
		"__pthread_clockjoin_ex":            contention.Join,
		"__pthread_rwlock_rdlock_full64":    contention.RWLock,
		"sem_post":                          "",
	} {
		assert.Equal(t, kind, libraryKind(contention.Stack{{Module: "libc.so.6", Function: function}}), function)
	}
}
