// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/ksym"
	"github.com/os2026/ebpf-rca/usym"
)

// ErrNoProcess says that there is no process of the pid that was asked for.
var ErrNoProcess = errors.New("no such process")

// Options say how a process is observed. The zero value is the default mode.
type Options struct {
	// NoChildren leaves out the target's descendants.
	NoChildren bool
	// KernelStacks takes the kernel stack of every wait, not only of those for a
	// kernel lock or of unknown cause.
	KernelStacks bool
	// NoSamples leaves out the samples of what threads do on a CPU.
	NoSamples bool
}

const (
	// sampleHz is how often each CPU is looked at; not a round number, so that it
	// does not fall into step with what it looks at.
	sampleHz = 99
	// drainEvery is how long events may lie in the kernel's buffer.
	drainEvery = 50 * time.Millisecond
)

// Observation is one process being watched.
type Observation struct {
	attachment *attachment
	reader     *ringbuf.Reader
	drained    sync.WaitGroup
	flushed    chan struct{}
	closeOnce  sync.Once
	closeErr   error

	mu      sync.Mutex // guards what follows
	builder *builder
	err     error // that ended the draining
}

// Observe begins to watch process pid, and its descendants if not told otherwise.
// The process itself is not touched.
func Observe(pid int, opts Options) (*Observation, error) {
	if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err != nil {
		return nil, fmt.Errorf("observe process %d: %w", pid, errors.Join(ErrNoProcess, err))
	}
	namespace, err := ownNamespace()
	if err != nil {
		return nil, err
	}
	a, err := attach(bpf.Options{
		Target:       pid,
		Children:     !opts.NoChildren,
		Own:          os.Getpid(),
		PIDNamespace: namespace,
		Events:       true,
		UserStacks:   true,
		KernelStacks: kernelStackPolicy(opts),
	})
	if err != nil {
		return nil, fmt.Errorf("observe process %d: %w", pid, err)
	}
	o, err := newObservation(a)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if !opts.NoSamples {
		if err := a.sample(sampleHz); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, nil
}

func kernelStackPolicy(opts Options) bpf.KernelStacks {
	if opts.KernelStacks {
		return bpf.KernelStacksAlways
	}
	return bpf.KernelStacksUnexplained
}

func newObservation(a *attachment) (*Observation, error) {
	reader, err := ringbuf.NewReader(a.objects.Events)
	if err != nil {
		return nil, fmt.Errorf("open the ring buffer: %w", err)
	}
	kernel, err := ksym.Load()
	if err != nil {
		kernel = nil // addresses are shown instead
	}
	o := &Observation{
		attachment: a,
		reader:     reader,
		flushed:    make(chan struct{}, 1),
		builder:    newBuilder(newStackTable(a.objects.Stacks, usym.New(), kernel)),
	}
	o.drained.Go(o.drain)
	return o, nil
}

// drain moves events from the kernel's buffer into the builder until the reader is
// closed.
func (o *Observation) drain() {
	defer close(o.flushed)
	var record ringbuf.Record
	for {
		o.reader.SetDeadline(time.Now().Add(drainEvery))
		switch err := o.reader.ReadInto(&record); {
		case err == nil:
			o.add(record.RawSample)
		case errors.Is(err, ringbuf.ErrFlushed):
			o.flushed <- struct{}{}
		case errors.Is(err, os.ErrDeadlineExceeded):
		case errors.Is(err, ringbuf.ErrClosed):
			return
		default:
			o.fail(fmt.Errorf("read events: %w", err))
			return
		}
	}
}

func (o *Observation) add(raw []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.builder.add(raw); err != nil && o.err == nil {
		o.err = err
	}
}

func (o *Observation) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

// Cut returns what was seen since the last Cut, as a trace of the window, with the
// waits that have not ended. A wait that began in an earlier window and goes on
// comes again.
func (o *Observation) Cut(window contention.Window) (*contention.Trace, error) {
	// The open waits come first: one that ends meanwhile is then seen twice, and
	// the builder knows it again. The other way round it could be missed.
	open, err := o.attachment.threads()
	if err != nil {
		return nil, err
	}
	if err := o.reader.Flush(); err != nil {
		return nil, fmt.Errorf("flush the events: %w", err)
	}
	<-o.flushed
	lost, err := o.attachment.objects.Lost()
	if err != nil {
		return nil, err
	}
	detached := o.attachment.detached()

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, o.err
	}
	return o.builder.cut(window, open, lost, detached), nil
}

// Close stops the watching and joins what worked for it. It may be called twice.
func (o *Observation) Close() error {
	o.closeOnce.Do(func() {
		o.closeErr = errors.Join(o.reader.Close(), o.attachment.Close())
		o.drained.Wait()
	})
	return o.closeErr
}
