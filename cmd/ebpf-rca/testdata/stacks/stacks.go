// SPDX-License-Identifier: Apache-2.0

// Command stacks takes turns as play.h has it, by what blocks a thread of Go: a futex
// and a pipe, both called directly. Go's own locks park a goroutine, and no thread
// waits for them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	longest   = 60 * time.Second
	waiters   = 4
	work      = 400 * time.Microsecond
	holdPause = 300 * time.Microsecond
	turnPause = 60 * time.Microsecond

	futexWaitPrivate = 128
	futexWakePrivate = 129
)

var (
	word      uint32 // 0 free, 1 taken, 2 taken and perhaps waited for
	tokenPipe [2]int
	digest    uint64
)

// site is one way to take turns, at one site.
type site struct {
	acquire, release func()
	Waits            []string `json:"waits"`
	Releases         []string `json:"releases"`
}

type thread struct {
	TID     int    `json:"tid"`
	Culprit bool   `json:"culprit"`
	Entry   string `json:"entry"`
	site
}

func futex(operation, value uintptr) {
	_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), operation, value, 0, 0, 0)
}

//go:noinline
func waitMutexA() {
	if atomic.CompareAndSwapUint32(&word, 0, 1) {
		return
	}
	for atomic.SwapUint32(&word, 2) != 0 {
		futex(futexWaitPrivate, 2)
	}
}

//go:noinline
func waitMutexB() {
	if atomic.CompareAndSwapUint32(&word, 0, 1) {
		return
	}
	for atomic.SwapUint32(&word, 2) != 0 {
		futex(futexWaitPrivate, 2)
	}
}

//go:noinline
func waitMutexC() {
	if atomic.CompareAndSwapUint32(&word, 0, 1) {
		return
	}
	for atomic.SwapUint32(&word, 2) != 0 {
		futex(futexWaitPrivate, 2)
	}
}

//go:noinline
func releaseMutexA() {
	if atomic.SwapUint32(&word, 0) == 2 {
		futex(futexWakePrivate, 1)
	}
}

//go:noinline
func releaseMutexB() {
	if atomic.SwapUint32(&word, 0) == 2 {
		futex(futexWakePrivate, 1)
	}
}

//go:noinline
func releaseMutexC() {
	if atomic.SwapUint32(&word, 0) == 2 {
		futex(futexWakePrivate, 1)
	}
}

func must(n int, err error) {
	if n != 1 {
		fmt.Fprintln(os.Stderr, "pipe:", err)
		os.Exit(1)
	}
}

//go:noinline
func waitPipeA() { must(syscall.Read(tokenPipe[0], make([]byte, 1))) }

//go:noinline
func waitPipeB() { must(syscall.Read(tokenPipe[0], make([]byte, 1))) }

//go:noinline
func waitPipeC() { must(syscall.Read(tokenPipe[0], make([]byte, 1))) }

//go:noinline
func releasePipeA() { must(syscall.Write(tokenPipe[1], []byte("t"))) }

//go:noinline
func releasePipeB() { must(syscall.Write(tokenPipe[1], []byte("t"))) }

//go:noinline
func releasePipeC() { must(syscall.Write(tokenPipe[1], []byte("t"))) }

// sites are a and b, of the others, and c, of the culprit.
var sites = map[string][3]site{
	"mutex": {
		{waitMutexA, releaseMutexA, []string{"main.waitMutexA"}, []string{"main.releaseMutexA"}},
		{waitMutexB, releaseMutexB, []string{"main.waitMutexB"}, []string{"main.releaseMutexB"}},
		{waitMutexC, releaseMutexC, []string{"main.waitMutexC"}, []string{"main.releaseMutexC"}},
	},
	"pipe": {
		{waitPipeA, releasePipeA, []string{"main.waitPipeA"}, []string{"main.releasePipeA"}},
		{waitPipeB, releasePipeB, []string{"main.waitPipeB"}, []string{"main.releasePipeB"}},
		{waitPipeC, releasePipeC, []string{"main.waitPipeC"}, []string{"main.releasePipeC"}},
	},
}

// pause blocks the thread, where time.Sleep parks the goroutine.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&t, nil)
}

//go:noinline
func holdWorking() {
	d := digest
	for end := time.Now().Add(work); time.Now().Before(end); {
		for range 2000 {
			d = (d^d>>29)*0x9e3779b97f4a7c15 + 1
		}
	}
	digest = d
	pause(holdPause)
}

//go:noinline
func culpritThread(s site) {
	for {
		s.acquire()
		holdWorking()
		s.release()
		pause(turnPause)
	}
}

//go:noinline
func waiterThread(s site) {
	for {
		s.acquire()
		s.release()
		pause(turnPause)
	}
}

// start runs play on a thread of its own and returns the thread's id.
func start(ready *sync.WaitGroup, s site, play func(site)) int {
	ready.Add(1)
	tid := make(chan int)
	go func() {
		runtime.LockOSThread()
		tid <- syscall.Gettid()
		ready.Wait()
		play(s)
	}()
	return <-tid
}

func main() {
	time.AfterFunc(longest, func() { os.Exit(1) })
	// A thread that comes out of a system call finds a processor to go on with.
	runtime.GOMAXPROCS(4 * (waiters + 1))
	primitive := os.Args[len(os.Args)-1]
	at, known := sites[primitive]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: stacks mutex|pipe")
		os.Exit(2)
	}
	if err := syscall.Pipe(tokenPipe[:]); err != nil {
		fmt.Fprintln(os.Stderr, "pipe:", err)
		os.Exit(1)
	}
	must(syscall.Write(tokenPipe[1], []byte("t")))

	var ready sync.WaitGroup
	threads := []thread{{start(&ready, at[2], culpritThread), true, "main.culpritThread", at[2]}}
	for i := range waiters {
		s := at[i%2]
		threads = append(threads, thread{start(&ready, s, waiterThread), false, "main.waiterThread", s})
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"threads": threads})
	ready.Add(-len(threads))
	_, _ = os.Stdin.Read(make([]byte, 1))
}
