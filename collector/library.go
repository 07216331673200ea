// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"slices"
	"strings"

	"github.com/os2026/ebpf-rca/contention"
)

// libraryCalls are the functions of the C library that wait, by what for. The names
// are those of POSIX and C11, and of glibc's own parts, which are jumped to from the
// others: see plainName.
var libraryCalls = map[string]contention.Kind{
	"pthread_mutex_lock":      contention.Mutex,
	"pthread_mutex_timedlock": contention.Mutex,
	"pthread_mutex_clocklock": contention.Mutex,
	"mtx_lock":                contention.Mutex,
	"mtx_timedlock":           contention.Mutex,
	"pthread_mutex_lock_full": contention.Mutex,
	"lll_lock_wait":           contention.Mutex,
	"lll_lock_wait_private":   contention.Mutex,

	"pthread_cond_wait":        contention.CondVar,
	"pthread_cond_timedwait":   contention.CondVar,
	"pthread_cond_clockwait":   contention.CondVar,
	"pthread_cond_wait_common": contention.CondVar,
	"cnd_wait":                 contention.CondVar,
	"cnd_timedwait":            contention.CondVar,

	"pthread_rwlock_rdlock":        contention.RWLock,
	"pthread_rwlock_wrlock":        contention.RWLock,
	"pthread_rwlock_timedrdlock":   contention.RWLock,
	"pthread_rwlock_timedwrlock":   contention.RWLock,
	"pthread_rwlock_clockrdlock":   contention.RWLock,
	"pthread_rwlock_clockwrlock":   contention.RWLock,
	"pthread_rwlock_rdlock_full64": contention.RWLock,
	"pthread_rwlock_wrlock_full64": contention.RWLock,

	"sem_wait":            contention.Semaphore,
	"sem_timedwait":       contention.Semaphore,
	"sem_clockwait":       contention.Semaphore,
	"new_sem_wait_slow64": contention.Semaphore,

	"pthread_barrier_wait": contention.Barrier,

	"pthread_join":         contention.Join,
	"pthread_timedjoin_np": contention.Join,
	"pthread_clockjoin_np": contention.Join,
	"pthread_clockjoin_ex": contention.Join,
	"thrd_join":            contention.Join,
}

// runtimeCall is a function of a runtime that waits.
type runtimeCall struct {
	module   string // whose function it is; "": it is linked into the program
	function string // its name begins so
	suffix   string // and ends so
	kind     contention.Kind
}

// runtimeCalls are functions of runtimes that wait by way of a futex or of the C library:
// of HotSpot (src/hotspot/share/runtime and prims/unsafe.cpp), of Rust's standard library
// (library/std/src/sys/sync) and of parking_lot. A parked thread of HotSpot waits for
// whatever its program wants, so that is a futex of unknown make.
var runtimeCalls = []runtimeCall{
	{"libjvm.so", "ObjectMonitor::enter", "", contention.Monitor},
	{"libjvm.so", "ObjectMonitor::EnterI", "", contention.Monitor},
	{"libjvm.so", "ObjectMonitor::ReenterI", "", contention.Monitor},
	{"libjvm.so", "ObjectMonitor::wait", "", contention.CondVar},
	{"libjvm.so", "JavaThread::sleep", "", contention.Timer},
	{"libjvm.so", "Parker::park", "", contention.Futex},

	{"", "std::sys::", "Mutex::lock_contended", contention.Mutex},
	{"", "std::sys::", "RwLock::read_contended", contention.RWLock},
	{"", "std::sys::", "RwLock::write_contended", contention.RWLock},
	{"", "std::sys::", "Condvar::wait_optional_timeout", contention.CondVar},

	{"", "parking_lot::raw_mutex::RawMutex::lock_slow", "", contention.Monitor},
	{"", "parking_lot::raw_rwlock::RawRwLock::lock_", "_slow", contention.Monitor},
}

// runtimeDepth is how many frames a runtime and the C library have on top of a call of
// the runtime, at most.
const runtimeDepth = 16

// runtimeKind says what a runtime waits for, "" if it is none that is known.
func runtimeKind(stack contention.Stack) contention.Kind {
	for _, f := range stack[:min(len(stack), runtimeDepth)] {
		if f.Guessed {
			break
		}
		for _, c := range runtimeCalls {
			if (c.module == "" || c.module == f.Module) &&
				strings.HasPrefix(f.Function, c.function) && strings.HasSuffix(f.Function, c.suffix) {
				return c.kind
			}
		}
	}
	return ""
}

// libraryDepth is how many frames the C library has on top of a call of it, at most.
const libraryDepth = 8

// libraryKind says what the C library waits for, "" if it is not the library that
// waits. In a program that has the library linked into it, all is one module.
func libraryKind(stack contention.Stack) contention.Kind {
	shared := len(stack) > 0 && isCLibrary(stack[0].Module)
	for i, f := range stack[:min(len(stack), libraryDepth)] {
		if shared && !isCLibrary(f.Module) || f.Guessed || i == 0 && f.Function == "syscall" {
			break
		}
		if kind, ok := libraryCalls[plainName(f.Function)]; ok {
			return kind
		}
	}
	return ""
}

// plainName is the name of a function without what the C library and its compiler add to
// it: the underscores of its own names, and the suffix of a copy made for certain callers.
func plainName(function string) string {
	name, _, _ := strings.Cut(function, ".")
	name, _ = strings.CutPrefix(strings.TrimLeft(name, "_"), "GI_")
	return strings.TrimLeft(name, "_")
}

// isCLibrary reports whether a module is glibc or musl. Other libraries that are called
// libc.so alone are taken for it: they have the same functions.
func isCLibrary(module string) bool {
	return isGlibc(module) || module == "libc.so" || strings.HasPrefix(module, "ld-musl-")
}

func isGlibc(module string) bool {
	return strings.HasPrefix(module, "libc.so.6") || strings.HasPrefix(module, "libc-2.") ||
		strings.HasPrefix(module, "libpthread")
}

// inGlibc reports whether a system call was made by glibc for itself, and not by a
// program through the library's syscall(). Linked into a program it is known by the
// function that waits for its locks.
func inGlibc(stack contention.Stack) bool {
	if len(stack) == 0 || stack[0].Function == "syscall" {
		return false
	}
	return isGlibc(stack[0].Module) || slices.ContainsFunc(stack[:min(len(stack), 2)], func(f contention.Frame) bool {
		return strings.HasPrefix(f.Function, "__lll_lock_wait")
	})
}

// libraryCaller returns the frame that called the C library, or made the system call.
// Its own frames end where another module begins, or with the function that waits.
func libraryCaller(stack contention.Stack) (contention.Frame, bool) {
	depth := min(len(stack), libraryDepth)
	outer := 0 // of the library's own frames, and one
	if depth > 0 && isCLibrary(stack[0].Module) {
		for outer < depth && isCLibrary(stack[outer].Module) {
			outer++
		}
	} else {
		for i, f := range stack[:depth] {
			if isLibraryCall(f.Function) {
				outer = i + 1
			}
		}
	}
	if outer == len(stack) {
		return contention.Frame{}, false
	}
	return stack[outer], true
}

func isLibraryCall(function string) bool {
	_, ok := libraryCalls[plainName(function)]
	return ok || function == "syscall"
}
