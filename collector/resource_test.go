// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

var (
	inLibc    = contention.Stack{{Module: "libc.so.6"}}
	inProgram = contention.Stack{{Module: "program"}}
)

// waitsIn is a stack of glibc that waits in function, below one without a name.
func waitsIn(function string) contention.Stack {
	return contention.Stack{{Module: "libc.so.6"}, {Module: "libc.so.6", Function: function}, {Module: "program", Function: "main"}}
}

// inStatic is a stack of a program that has its library linked into it.
func inStatic(functions ...string) contention.Stack {
	var stack contention.Stack
	for _, f := range functions {
		stack = append(stack, contention.Frame{Module: "program", Function: f})
	}
	return stack
}

func TestClassify(t *testing.T) {
	thread := contention.Thread{PID: 10, TID: 11}
	alone := func(kind contention.Kind) contention.Resource {
		return contention.Resource{Kind: kind, PID: 10, TID: 11}
	}
	file := func(call bpf.Call, mode uint32) bpf.Object {
		return bpf.Object{Call: call, Mode: mode | 0o600, Device: 8<<20 | 1, Inode: 77, File: 0xff00}
	}
	named := func(kind contention.Kind, side contention.Side) contention.Resource {
		return contention.Resource{Kind: kind, Device: unix.Mkdev(8, 1), Inode: 77, Side: side}
	}
	anonymous := bpf.Object{Call: bpf.CallRead, Device: 16, Inode: 17, File: 0xff00}
	for name, c := range map[string]struct {
		object bpf.Object
		want   contention.Resource
	}{
		"kernel mutex": {bpf.Object{Call: bpf.CallWrite, KernelLock: 0xf0, LockFlags: lockMutex}, contention.Resource{Kind: contention.KernelMutex, Address: 0xf0}},
		"rwsem, read":  {bpf.Object{KernelLock: 0xf0, LockFlags: lockForReading}, contention.Resource{Kind: contention.KernelRWSem, Address: 0xf0}},
		"rwsem, write": {bpf.Object{KernelLock: 0xf0, LockFlags: lockForWriting}, contention.Resource{Kind: contention.KernelRWSem, Address: 0xf0}},
		"rt":           {bpf.Object{KernelLock: 0xf0, LockFlags: lockRT}, contention.Resource{Kind: contention.KernelRT, Address: 0xf0}},
		"rt, read":     {bpf.Object{KernelLock: 0xf0, LockFlags: lockRT | lockForReading}, contention.Resource{Kind: contention.KernelRT, Address: 0xf0}},
		"percpu rwsem": {bpf.Object{KernelLock: 0xf0, LockFlags: lockPerCPU | lockForReading}, contention.Resource{Kind: contention.KernelPCPURW, Address: 0xf0}},
		"kernel lock in a fault": {
			bpf.Object{Call: bpf.CallFault, KernelLock: 0xf0, LockFlags: lockForReading},
			contention.Resource{Kind: contention.KernelRWSem, Address: 0xf0},
		},
		"futex":         {bpf.Object{Call: bpf.CallFutexWait, Address: 0x40, Op: 137}, contention.Resource{Kind: contention.Futex, Address: 0x40, PID: 10}},
		"futex vector":  {bpf.Object{Call: bpf.CallFutexWaitV, Address: 0x40}, contention.Resource{Kind: contention.Futex, Address: 0x40, PID: 10}},
		"pipe, read":    {file(bpf.CallRead, unix.S_IFIFO), named(contention.Pipe, contention.ForData)},
		"pipe, write":   {file(bpf.CallWrite, unix.S_IFIFO), named(contention.Pipe, contention.ForRoom)},
		"socket, read":  {file(bpf.CallRead, unix.S_IFSOCK), named(contention.Socket, contention.ForData)},
		"socket, recv":  {file(bpf.CallReceive, unix.S_IFSOCK), named(contention.Socket, contention.ForData)},
		"socket, send":  {file(bpf.CallSend, unix.S_IFSOCK), named(contention.Socket, contention.ForRoom)},
		"accept":        {file(bpf.CallAccept, unix.S_IFSOCK), named(contention.Socket, contention.ForData)},
		"terminal":      {file(bpf.CallRead, unix.S_IFCHR), named(contention.Other, contention.ForData)},
		"plain file":    {file(bpf.CallRead, unix.S_IFREG), alone(contention.Disk)},
		"anonymous":     {anonymous, contention.Resource{Kind: contention.Other, Device: unix.Mkdev(0, 16), Inode: 17, Address: 0xff00, Side: contention.ForData}},
		"flock":         {file(bpf.CallFlock, unix.S_IFREG), named(contention.Flock, contention.NoSide)},
		"F_SETLKW":      {bpf.Object{Call: bpf.CallFcntl, Op: 7, Device: 8<<20 | 1, Inode: 77}, named(contention.PosixLock, contention.NoSide)},
		"F_OFD_SETLKW":  {bpf.Object{Call: bpf.CallFcntl, Op: 38, Device: 8<<20 | 1, Inode: 77}, named(contention.PosixLock, contention.NoSide)},
		"F_GETFL":       {bpf.Object{Call: bpf.CallFcntl, Op: 3}, alone(contention.Other)},
		"fsync":         {bpf.Object{Call: bpf.CallSync}, alone(contention.Disk)},
		"poll":          {bpf.Object{Call: bpf.CallPoll}, alone(contention.Poll)},
		"nanosleep":     {bpf.Object{Call: bpf.CallSleep}, alone(contention.Timer)},
		"sigwait":       {bpf.Object{Call: bpf.CallSignal}, alone(contention.Signal)},
		"page fault":    {bpf.Object{Call: bpf.CallFault}, alone(contention.Fault)},
		"waitid":        {bpf.Object{Call: bpf.CallChild}, alone(contention.Join)},
		"anything else": {bpf.Object{Call: bpf.CallOther}, alone(contention.Other)},
		"lost its call": {bpf.Object{Call: bpf.CallRestart}, alone(contention.Other)},
		"of the future": {bpf.Object{Call: 999}, alone(contention.Other)},
		"kernel thread": {bpf.Object{}, alone(contention.Other)},
	} {
		assert.Equal(t, c.want, classify(c.object, thread, inProgram), name)
	}
}

func TestFutexKindAndOwner(t *testing.T) {
	const waiters = 1 << 31
	words := [3]uint32{2, 1, 4321}
	inSyscall := contention.Stack{{Module: "libc.so.6", Function: "syscall"}}
	inMusl := contention.Stack{{Module: "libc.so"}}
	for name, c := range map[string]struct {
		op, value uint32
		words     [3]uint32
		caller    contention.Stack
		kind      contention.Kind
		owner     int
	}{
		"glibc":                       {128, 2, words, inLibc, contention.Mutex, 4321},
		"glibc, shared":               {0, 2, words, inLibc, contention.Mutex, 4321},
		"glibc, released meanwhile":   {128, 2, [3]uint32{2}, inLibc, contention.Mutex, 0},
		"glibc, robust":               {0, waiters | 77, [3]uint32{waiters | 77, 1, 4321}, inLibc, contention.Mutex, 77},
		"glibc, robust, taken over":   {0, waiters | 77, [3]uint32{waiters | 1<<30 | 78}, inLibc, contention.Mutex, 78},
		"glibc, priority inheritance": {134, 0, [3]uint32{waiters | 77, 1, 4321}, inLibc, contention.Mutex, 77},
		"the same, shared":            {6, 0, [3]uint32{77}, inLibc, contention.Mutex, 77},
		"LOCK_PI2":                    {13 | 128, 0, [3]uint32{77}, inLibc, contention.Mutex, 77},
		"glibc, of unknown make":      {393, 2, words, inLibc, contention.Futex, 0},
		"glibc, condition variable":   {393, 2, words, waitsIn("pthread_cond_wait"), contention.CondVar, 0},
		"glibc, its mutex":            {128, 2, words, waitsIn("pthread_cond_wait"), contention.Mutex, 4321},
		"glibc, reader":               {393, 2, words, waitsIn("__pthread_rwlock_rdlock"), contention.RWLock, 0},
		"glibc, semaphore":            {393, 1, words, waitsIn("sem_wait"), contention.Semaphore, 0},
		"glibc, second round":         {128, 2, words, waitsIn("pthread_barrier_wait"), contention.Barrier, 0},
		"glibc, join":                 {265, 4321, words, waitsIn("pthread_join"), contention.Join, 0},
		"glibc in the program":        {128, 2, words, inStatic("__lll_lock_wait", "pthread_mutex_lock"), contention.Mutex, 4321},
		"musl in the program":         {128, waiters | 16, words, inStatic("__syscall_cp_c", "pthread_mutex_timedlock"), contention.Mutex, 0},
		"a wrapper in the program":    {128, 2, words, inStatic("syscall", "sem_wait"), contention.Futex, 0},
		"a namesake in the program":   {128, 2, words, append(contention.Stack{{Module: "libc.so.6"}}, inStatic("sem_wait")...), contention.Mutex, 4321},
		"raw, through syscall()":      {128, 2, words, inSyscall, contention.Futex, 0},
		"raw, in the program":         {128, 2, words, inProgram, contention.Futex, 0},
		"no stack":                    {128, 2, words, nil, contention.Futex, 0},
		"Rust":                        {137, 2, words, inProgram, contention.Futex, 0},
		"Go":                          {128, 0, words, inProgram, contention.Futex, 0},
		"musl":                        {128, waiters | 16, words, inMusl, contention.Futex, 0},
	} {
		o := bpf.Object{Call: bpf.CallFutexWait, Op: c.op, Value: c.value, Words: c.words, WordsRead: 1}
		kind := futexKind(o, c.caller)
		assert.Equal(t, c.kind, kind, name)
		assert.Equal(t, c.owner, owner(o, kind, c.caller), name)
		o.WordsRead = 0
		assert.Zero(t, owner(o, kind, c.caller), "%s: words that were not read", name)
	}
	assert.Equal(t, contention.Futex, futexKind(bpf.Object{Call: bpf.CallFutexWaitV, Value: 2}, inLibc), "a vector")
}

func TestSameObject(t *testing.T) {
	private := bpf.Object{Call: bpf.CallFutexWait, Address: 0x40, Op: 128}
	shared := bpf.Object{Call: bpf.CallFutexWait, Address: 0x40}
	read, write := bpf.Object{Call: bpf.CallRead}, bpf.Object{Call: bpf.CallWrite}
	for name, c := range map[string]struct {
		waits bpf.Object
		wake  bpf.Wake
		same  bool
	}{
		"futex":                {private, bpf.Wake{Call: bpf.CallFutexWake, Address: 0x40}, true},
		"another futex":        {private, bpf.Wake{Call: bpf.CallFutexWake, Address: 0x44}, false},
		"shared, elsewhere":    {shared, bpf.Wake{Call: bpf.CallFutexWake, Address: 0x9040}, true},
		"futex, by a write":    {private, bpf.Wake{Call: bpf.CallWrite, Address: 0x40}, false},
		"futex, by a waiter":   {private, bpf.Wake{Call: bpf.CallFutexWait, Address: 0x40}, false},
		"vector":               {bpf.Object{Call: bpf.CallFutexWaitV, Address: 0x40}, bpf.Wake{Call: bpf.CallFutexWake, Address: 0x40}, true},
		"read, by a write":     {read, bpf.Wake{Call: bpf.CallWrite}, true},
		"read, by a send":      {read, bpf.Wake{Call: bpf.CallSend}, true},
		"read, by a kill":      {read, bpf.Wake{Call: bpf.CallOther}, false},
		"read, by a read":      {read, bpf.Wake{Call: bpf.CallRead}, false},
		"write, by a read":     {write, bpf.Wake{Call: bpf.CallRead}, true},
		"write, by a write":    {write, bpf.Wake{Call: bpf.CallWrite}, false},
		"accept, by a connect": {bpf.Object{Call: bpf.CallAccept}, bpf.Wake{Call: bpf.CallConnect}, true},
		"flock":                {bpf.Object{Call: bpf.CallFlock}, bpf.Wake{Call: bpf.CallFlock}, true},
		"record lock":          {bpf.Object{Call: bpf.CallFcntl}, bpf.Wake{Call: bpf.CallFcntl}, true},
		"sleep":                {bpf.Object{Call: bpf.CallSleep}, bpf.Wake{Call: bpf.CallSleep}, false},
	} {
		assert.Equal(t, c.same, sameObject(c.waits, c.wake), name)
	}
}

func TestTheTwoWordsOfAConditionVariableAreOne(t *testing.T) {
	thread := contention.Thread{PID: 10, TID: 11}
	at := func(address uint64, op uint32, stack contention.Stack) contention.Address {
		return classify(bpf.Object{Call: bpf.CallFutexWait, Address: address, Op: op}, thread, stack).Address
	}
	in := waitsIn("pthread_cond_wait")
	assert.Equal(t, at(0xc8, 393, in), at(0xcc, 393, in))
	assert.NotEqual(t, at(0xc8, 393, in), at(0xd0, 393, in))
	assert.NotEqual(t, at(0xc8, 393, inProgram), at(0xcc, 393, inProgram), "of unknown make")
	assert.NotEqual(t, at(0xc8, 128, inLibc), at(0xcc, 128, inLibc), "mutexes have one word")
}

func TestOwnerOfAKernelLock(t *testing.T) {
	o := bpf.Object{Call: bpf.CallWrite, KernelLock: 0xf0, Words: [3]uint32{2, 1, 77}}
	assert.Equal(t, 77, owner(o, contention.KernelMutex, nil))
	o.Call, o.WordsRead = bpf.CallFutexWait, 1
	assert.Zero(t, owner(o, contention.KernelMutex, nil), "these are a futex's words")
	assert.Equal(t, 77, owner(bpf.Object{Call: bpf.CallFlock, Words: [3]uint32{0, 0, 77}}, contention.Flock, nil))
}

// The address is the object's, as the program knows it.
func TestAddressesOfGlibc(t *testing.T) {
	thread := contention.Thread{PID: 10, TID: 11}
	at := func(word uint64, value uint32, function string) contention.Address {
		return classify(bpf.Object{Call: bpf.CallFutexWait, Address: word, Op: 393, Value: value}, thread, waitsIn(function)).Address
	}
	assert.Equal(t, contention.Address(0x100), at(0x128, 0, "pthread_cond_wait"))
	assert.Equal(t, contention.Address(0x100), at(0x12c, 0, "pthread_cond_wait"))
	assert.Equal(t, contention.Address(0x100), at(0x108, 2, "pthread_rwlock_wrlock"))
	assert.Equal(t, contention.Address(0x100), at(0x10c, 3, "pthread_rwlock_wrlock"))
	assert.Equal(t, contention.Address(0x100), at(0x100, 14, "pthread_rwlock_rdlock"), "a reader that lets a writer go first")
	assert.Equal(t, contention.Address(0x100), at(0x104, 0, "pthread_barrier_wait"))
}

func TestGoThreadsWithNothingToRunPoll(t *testing.T) {
	thread := contention.Thread{PID: 10, TID: 11}
	kind := func(functions ...string) contention.Kind {
		var stack contention.Stack
		for _, f := range functions {
			stack = append(stack, contention.Frame{Function: f, Module: "program"})
		}
		return classify(bpf.Object{Call: bpf.CallFutexWait, Address: 0x40, Op: 128}, thread, stack).Kind
	}
	assert.Equal(t, contention.Poll, kind("runtime.futex.abi0", "runtime.notesleep", "runtime.stopm"))
	assert.Equal(t, contention.Monitor, kind("runtime.futex.abi0", "runtime.lock2", "runtime.schedule"))
	assert.Equal(t, contention.Futex, kind("wait_for_runtime", "runtime.lock2"))
	assert.Equal(t, contention.Futex, kind())
}
