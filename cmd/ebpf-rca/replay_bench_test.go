// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
)

// BenchmarkReplay measures how long a capture takes to be read and analysed, by how many
// waits it has, and how much memory a process needs that does it once.
func BenchmarkReplay(b *testing.B) {
	for _, waits := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("waits=%d", waits), func(b *testing.B) {
			path := busyFile(b, waits)
			var used time.Duration
			debug.FreeOSMemory()
			forgetPeak(b)
			for b.Loop() {
				before := cpuTime(b)
				r := do(b, "replay", "--json", path)
				used += cpuTime(b) - before
				require.Equal(b, exitGood, r.code, r.stderr)
				require.Contains(b, r.stdout, fmt.Sprintf(`"totals":{"waits":%d,`, waits))
				b.StopTimer()
				debug.FreeOSMemory() // what one leaves is no need of the next
				b.StartTimer()
			}
			b.ReportMetric(float64(waits)*float64(b.N)/b.Elapsed().Seconds(), "waits/s")
			b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(peakMB(b), "peak-MB")
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.ReportMetric(float64(info.Size())/float64(waits), "bytes/wait")
		})
	}
}

// busyFile is a capture of 64 threads that hand on 16 mutexes for 10 s, and of what they
// run meanwhile.
func busyFile(b *testing.B, waits int) string {
	const threads, locks, window = 64, 16, 10 * time.Second
	random := rand.New(rand.NewPCG(1, 2))
	id := func(n int) contention.ThreadID { return contention.ThreadID{TID: 100 + n, Start: time.Second} }
	seen := capture.Capture{Target: capture.Target{PID: 100, Comm: "server"}, Kernel: "6.18.0"}
	t := &seen.Trace
	t.Window = contention.Window{Begin: window, End: 2 * window}
	t.Stacks = []contention.Stack{nil}
	for i := range 200 {
		stack := make(contention.Stack, 12)
		for j := range stack {
			stack[j] = contention.Frame{
				Function: fmt.Sprint("function_", (i+1)*j%331), Module: "server", Address: contention.Address(0x55d0_0000_0000 + i<<j),
			}
		}
		t.Stacks = append(t.Stacks, stack)
	}
	for i := range threads {
		t.Threads = append(t.Threads, contention.Thread{PID: 100, TID: 100 + i, Comm: fmt.Sprint("worker-", i), Start: time.Second})
	}
	step := window / time.Duration(waits/locks+1) // from release to release of a lock
	for i := range waits {
		lock, turn := i%locks, i/locks
		holder, next := lock+locks*(turn%4), lock+locks*((turn+1)%4)
		woken := t.Window.Begin + time.Duration(turn+1)*step - time.Duration(random.Int64N(int64(step)))
		w := contention.Wait{
			Thread: id(next), Begin: max(t.Window.Begin, woken-step*time.Duration(2+random.IntN(2))), Woken: woken, Ran: woken + time.Duration(random.IntN(9000)),
			Resource: contention.Resource{Kind: contention.Mutex, Address: contention.Address(0x7f00_0000_0000 + lock<<6), PID: 100},
			Waker: contention.Waker{
				Kind: contention.WokenByThread, Thread: id(holder), SameObject: true, Stack: contention.StackID(1 + random.IntN(200)),
			},
			Owner: 100 + holder, Stack: contention.StackID(1 + random.IntN(200)), Occupant: id(random.IntN(threads)),
		}
		w.Occupied = w.Ran - w.Woken
		t.Waits = append(t.Waits, w)
		if i%10 == 0 {
			t.Samples = append(t.Samples, contention.Sample{Thread: id(holder), At: woken, Stack: w.Stack})
		}
	}
	t.Sort()
	path := b.TempDir() + "/busy.cap.zst"
	var data bytes.Buffer
	require.NoError(b, capture.Write(&data, seen))
	require.NoError(b, os.WriteFile(path, data.Bytes(), 0o644))
	return path
}

// cpuTime is that of this process so far: a busy machine does not change it much.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// forgetPeak has the kernel count the most memory that this process has had from now on.
func forgetPeak(b *testing.B) {
	require.NoError(b, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
}

// peakMB is the most that this process has had in memory, in 10⁶ bytes.
func peakMB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(b, err)
	for line := range strings.Lines(string(status)) {
		var kB float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kB); err == nil {
			return kB * 1024 / 1e6
		}
	}
	b.Fatal("the kernel does not tell the peak")
	return 0
}
