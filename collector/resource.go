// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// Flags of contention_begin, include/trace/events/lock.h.
const (
	lockForReading = 1 << 1
	lockForWriting = 1 << 2
	lockRT         = 1 << 3
	lockPerCPU     = 1 << 4
	lockMutex      = 1 << 5
)

// Operations of futex(2), include/uapi/linux/futex.h.
const (
	futexCommand    = 127
	futexPrivate    = 128
	futexWait       = 0
	futexWaitBitset = 9
	futexLockPI     = 6
	futexLockPI2    = 13

	futexWaiters  = 1 << 31
	futexOwnerTID = 1<<30 - 1
)

// Commands of fcntl(2) that wait.
const (
	setLockWait    = 7  // F_SETLKW
	setOFDLockWait = 38 // F_OFD_SETLKW
)

// classify says what resource a wait is for. By the thread's user stack the locks of
// the C library and of Go's runtime are told from others.
func classify(o bpf.Object, thread contention.Thread, stack contention.Stack) contention.Resource {
	if o.KernelLock != 0 {
		return contention.Resource{Kind: kernelLockKind(o.LockFlags), Address: contention.Address(o.KernelLock)}
	}
	switch o.Call {
	case bpf.CallFutexWait, bpf.CallFutexWaitV:
		return futexResource(o, thread, stack)
	case bpf.CallRead, bpf.CallReceive, bpf.CallAccept, bpf.CallConnect:
		return fileResource(o, contention.ForData, thread)
	case bpf.CallWrite, bpf.CallSend:
		return fileResource(o, contention.ForRoom, thread)
	case bpf.CallFlock:
		return named(contention.Flock, o)
	case bpf.CallFcntl:
		if o.Op == setLockWait || o.Op == setOFDLockWait {
			r := named(contention.PosixLock, o)
			r.Address = contention.Address(o.Address) // where in the file the lock begins
			return r
		}
		return alone(contention.Other, thread)
	case bpf.CallSync:
		return alone(contention.Disk, thread)
	case bpf.CallChild:
		return alone(contention.Join, thread)
	case bpf.CallPoll:
		return alone(contention.Poll, thread)
	case bpf.CallSleep:
		return alone(contention.Timer, thread)
	case bpf.CallSignal:
		return alone(contention.Signal, thread)
	case bpf.CallFault:
		return alone(contention.Fault, thread)
	default:
		return alone(contention.Other, thread)
	}
}

func kernelLockKind(flags uint32) contention.Kind {
	switch {
	case flags&lockMutex != 0:
		return contention.KernelMutex
	case flags&lockPerCPU != 0:
		return contention.KernelPCPURW
	case flags&lockRT != 0:
		return contention.KernelRT
	case flags&(lockForReading|lockForWriting) != 0:
		return contention.KernelRWSem
	default:
		return contention.KernelSpin
	}
}

func futexResource(o bpf.Object, thread contention.Thread, stack contention.Stack) contention.Resource {
	kind := futexKind(o, stack)
	switch kind {
	case contention.Poll, contention.Timer:
		return alone(kind, thread)
	}
	address := objectAddress(contention.Address(o.Address), kind)
	if inGlibc(stack) {
		address -= glibcOffset(kind, o)
	}
	return contention.Resource{Kind: kind, Address: address, PID: thread.PID}
}

// futexKind says what a futex is part of. The C library's primitives are known by the
// function that waits. Its condition variable also waits for the mutex that it gives
// back: glibc waits for a mutex with the value 2, for a robust one with the waiters'
// bit, and for one with priority inheritance through operations of their own.
//
// Go's scheduler parks a thread that has nothing to run on a futex of its own, which
// is no more than a poll; only the runtime's own locks are locks.
func futexKind(o bpf.Object, stack contention.Stack) contention.Kind {
	switch {
	case inGoRuntime(stack, "runtime.lock2"):
		return contention.Monitor
	case inGoRuntime(stack, ""):
		return contention.Poll
	case o.Call != bpf.CallFutexWait:
		return contention.Futex
	}
	if kind := runtimeKind(stack); kind != "" {
		return kind
	}
	kind := libraryKind(stack)
	switch {
	case (kind == "" || kind == contention.CondVar) && inGlibc(stack) && waitsForMutex(o):
		return contention.Mutex
	case kind == "":
		return contention.Futex
	default:
		return kind
	}
}

const (
	condVarOffset = 40 // __g_signals
	rwLockOffset  = 8  // __wrphase_futex, __writers_futex
)

// glibcOffset is how far into an object of glibc the words lie that threads sleep on, on
// 64-bit machines (sysdeps/nptl/bits/thread-shared-types.h and struct_rwlock.h). A rwlock
// has a third, its first, on which readers sleep while that says that they may not enter.
func glibcOffset(kind contention.Kind, o bpf.Object) contention.Address {
	const readersWait = 1 << 2 // PTHREAD_RWLOCK_RWAITING; the others are below it
	switch {
	case kind == contention.CondVar:
		return condVarOffset
	case kind == contention.RWLock && o.Value < readersWait:
		return rwLockOffset
	default:
		return 0
	}
}

// waitsForMutex reports whether glibc waits so for a mutex, and for nothing else.
func waitsForMutex(o bpf.Object) bool {
	switch o.Op & futexCommand {
	case futexLockPI, futexLockPI2:
		return true
	case futexWait:
		return o.Value == 2 || o.Value&futexWaiters != 0
	default:
		return false
	}
}

// inGoRuntime reports whether Go's runtime made a futex call, and did so in function,
// if one is named. No C function has a dot in its name.
func inGoRuntime(stack contention.Stack, function string) bool {
	if len(stack) == 0 || !strings.HasPrefix(stack[0].Function, "runtime.futex") {
		return false
	}
	return slices.ContainsFunc(stack, func(f contention.Frame) bool { return strings.HasPrefix(f.Function, function) })
}

// owner returns the tid that a mutex of glibc or a lock of the kernel has as its owner,
// 0 if none can be believed. Other locks keep something else at the same place, but for
// those with priority inheritance, whose word is the kernel's.
func owner(o bpf.Object, kind contention.Kind, stack contention.Stack) int {
	switch {
	case o.KernelLock != 0 && o.WordsRead != 0:
		return 0 // the words are those of a futex, in whose call the kernel lock was wanted
	case o.KernelLock != 0, o.Call == bpf.CallFlock:
		return int(o.Words[2])
	}
	if kind != contention.Mutex || o.WordsRead == 0 {
		return 0
	}
	switch command := o.Op & futexCommand; {
	case command == futexLockPI, command == futexLockPI2:
		return int(o.Words[0] & futexOwnerTID)
	case !inGlibc(stack) || !waitsForMutex(o):
		return 0
	case o.Value&futexWaiters != 0:
		return int(o.Words[0] & futexOwnerTID)
	default:
		return int(o.Words[2])
	}
}

func fileResource(o bpf.Object, side contention.Side, thread contention.Thread) contention.Resource {
	r := named(contention.Other, o)
	r.Side = side
	switch o.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		r.Kind = contention.Pipe
	case unix.S_IFSOCK:
		r.Kind = contention.Socket
	case unix.S_IFREG, unix.S_IFBLK, unix.S_IFDIR:
		return alone(contention.Disk, thread)
	}
	if isAnonymous(o) {
		r.Address = contention.Address(o.File)
	}
	return r
}

// named is a resource that any process may share, known by its inode.
func named(kind contention.Kind, o bpf.Object) contention.Resource {
	return contention.Resource{
		Kind:   kind,
		Device: unix.Mkdev(o.Device>>20, o.Device&(1<<20-1)),
		Inode:  o.Inode,
	}
}

// alone is a resource that only thread waits for.
func alone(kind contention.Kind, thread contention.Thread) contention.Resource {
	return contention.Resource{Kind: kind, PID: thread.PID, TID: thread.TID}
}

// sharedFutex reports whether o may be a futex that other processes know at other
// addresses.
func sharedFutex(o bpf.Object) bool {
	return o.Call == bpf.CallFutexWait && o.Op&futexPrivate == 0
}

// sameObject reports whether the system call a waker was in is one that lets go
// what o waits for.
func sameObject(o bpf.Object, w bpf.Wake) bool {
	switch o.Call {
	case bpf.CallFutexWait, bpf.CallFutexWaitV:
		return w.Call == bpf.CallFutexWake && (w.Address == o.Address || sharedFutex(o))
	case bpf.CallRead, bpf.CallReceive, bpf.CallAccept:
		return w.Call == bpf.CallWrite || w.Call == bpf.CallSend || w.Call == bpf.CallConnect
	case bpf.CallWrite, bpf.CallSend:
		return w.Call == bpf.CallRead || w.Call == bpf.CallReceive
	case bpf.CallFlock:
		return w.Call == bpf.CallFlock
	case bpf.CallFcntl:
		return w.Call == bpf.CallFcntl
	default:
		return false
	}
}
