// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/ksym"
)

// LockSample is what one thread's waiting came to in one window.
type LockSample struct {
	Pid  uint32 // the thread's id
	Comm string
	// OffcpuRatio is blocked time over the window's, in 0..1. Waiting for a CPU is
	// not blocked time.
	OffcpuRatio float64
	// BlockCount is how many waits ended in the window: 0 for one that fills it.
	BlockCount uint64
	// MaxOffcpuMs is the longest wait's part in the window, in milliseconds.
	MaxOffcpuMs float64
	// LastWaker is the tid of what last woke the thread, 0 for an interrupt or
	// nobody.
	LastWaker uint32
	// StackID names the kernel stack of the longest wait, -1 if there is none.
	StackID int32
}

// LockCollector samples how the system's threads block.
type LockCollector struct {
	attachment *attachment
	reader     *ringbuf.Reader
	kernel     *ksym.Table
	windowNs   uint64 // when the window began
	stacks     []uint64
	stackIDs   map[uint64]int32
}

// NewLockCollector begins to watch every thread of the system but its own and the
// kernel's.
func NewLockCollector() (*LockCollector, error) {
	namespace, err := ownNamespace()
	if err != nil {
		return nil, err
	}
	a, _, err := watch(bpf.Options{
		Own:          os.Getpid(),
		PIDNamespace: namespace,
		KernelStacks: bpf.KernelStacksAlways,
	})
	if err != nil {
		return nil, err
	}
	reader, err := ringbuf.NewReader(a.objects.Events)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the ring buffer: %w", err), a.Close())
	}
	kernel, _ := ksym.Load() // what it does not name is printed as an address
	c := &LockCollector{
		attachment: a,
		reader:     reader,
		kernel:     kernel,
		stackIDs:   make(map[uint64]int32),
	}
	// What happened while this was being set up belongs to no window.
	if _, err := c.totals(0); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.windowNs = now()
	return c, nil
}

// Close stops the watching. It may be called twice.
func (c *LockCollector) Close() error {
	return errors.Join(c.reader.Close(), c.attachment.Close())
}

// Poll waits for interval and returns one sample for each thread that blocked since
// the last Poll, or since the collector was made; threads that have ended included.
func (c *LockCollector) Poll(interval time.Duration) ([]LockSample, error) {
	totals, err := c.totals(interval)
	if err != nil {
		return nil, err
	}
	end := now()
	window := end - c.windowNs
	c.windowNs = end
	var samples []LockSample
	for _, t := range totals {
		if t.BlockedNs > 0 && t.Thread.Tid != 0 { // tid 0: outside of this pid namespace
			samples = append(samples, c.sample(t, window))
		}
	}
	return samples, nil
}

// totals waits for interval and returns what each thread's waiting came to since it
// was last asked. A thread that ends while the living are being read has two parts,
// which are put together.
func (c *LockCollector) totals(interval time.Duration) ([]bpf.ThreadTotals, error) {
	c.reader.SetDeadline(time.Now().Add(interval))
	exited, err := c.exits(os.ErrDeadlineExceeded)
	if err != nil {
		return nil, err
	}
	living, err := c.attachment.threads()
	if err != nil {
		return nil, err
	}
	if err := c.reader.Flush(); err != nil {
		return nil, fmt.Errorf("flush the events: %w", err)
	}
	c.reader.SetDeadline(time.Time{})
	late, err := c.exits(ringbuf.ErrFlushed)
	if err != nil {
		return nil, err
	}
	return slices.Concat(exited, addParts(living, late)), nil
}

// exits collects the totals of the threads that have ended, until reading ends with
// the error end.
func (c *LockCollector) exits(end error) ([]bpf.ThreadTotals, error) {
	var exited []bpf.ThreadTotals
	var record ringbuf.Record
	for {
		err := c.reader.ReadInto(&record)
		if errors.Is(err, end) {
			return exited, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		t, err := view[bpf.ThreadTotals](record.RawSample)
		if err != nil {
			return nil, err
		}
		exited = append(exited, t)
	}
}

// addParts adds to totals what the same threads did later.
func addParts(totals, later []bpf.ThreadTotals) []bpf.ThreadTotals {
	for _, l := range later {
		i := slices.IndexFunc(totals, func(t bpf.ThreadTotals) bool {
			return t.Thread.Tid == l.Thread.Tid && t.Thread.StartNs == l.Thread.StartNs
		})
		if i < 0 {
			totals = append(totals, l)
			continue
		}
		t := &totals[i]
		t.Waits += l.Waits
		t.BlockedNs += l.BlockedNs
		t.LastWaker = l.LastWaker
		if l.LongestNs > t.LongestNs {
			t.LongestNs, t.LongestStack = l.LongestNs, l.LongestStack
		}
	}
	return totals
}

func (c *LockCollector) sample(t bpf.ThreadTotals, window uint64) LockSample {
	return LockSample{
		Pid:         t.Thread.Tid,
		Comm:        commOf(t.Comm),
		OffcpuRatio: min(1, float64(t.BlockedNs)/float64(max(window, 1))),
		BlockCount:  uint64(t.Waits),
		MaxOffcpuMs: float64(min(t.LongestNs, window)) / float64(time.Millisecond),
		LastWaker:   t.LastWaker,
		StackID:     c.stackID(t.LongestStack),
	}
}

func (c *LockCollector) stackID(name uint64) int32 {
	if name == 0 {
		return -1
	}
	id, ok := c.stackIDs[name]
	if !ok {
		id = int32(len(c.stacks))
		c.stacks = append(c.stacks, name)
		c.stackIDs[name] = id
	}
	return id
}

// ResolveStack renders the kernel stack id names, innermost first, at most limit
// frames; nil if there is none of that id. A frame without a symbol is its address.
func (c *LockCollector) ResolveStack(id int32, limit int) []string {
	if id < 0 || int(id) >= len(c.stacks) {
		return nil
	}
	stack, err := readStack(c.attachment.objects.Stacks, c.stacks[id])
	if err != nil {
		return nil
	}
	var lines []string
	for _, f := range kernelFrames(c.kernel, stack.Pc[:stack.Frames]) {
		if len(lines) == limit {
			break
		}
		if f.Function == "" {
			lines = append(lines, f.Address.String())
		} else {
			lines = append(lines, f.Function)
		}
	}
	return lines
}
