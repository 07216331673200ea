// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

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
	// FramePointers takes user stacks the way the kernel does, along frame pointers,
	// for comparison. It is the only way on other machines than x86-64.
	FramePointers bool
	// NoSamples leaves out the samples of what threads do on a CPU.
	NoSamples bool
	// NoKernelLocks leaves out waits for the kernel's own locks, as on a kernel that does
	// not tell of them.
	NoKernelLocks bool
	// Budget is how many waits a second are told in full. Where there are more, those that
	// do not last are told for a part of the time; see contention.Shed. 0 is DefaultBudget,
	// and less than 0 has all told.
	Budget float64
	// Cost has the kernel keep account of what the programs cost it; see
	// Observation.Cost. It takes CAP_SYS_ADMIN.
	Cost bool
	// Kernel is for those who observe often; nil is to read anew what it keeps.
	Kernel *Kernel
}

const (
	// sampleHz is how often each CPU is looked at; not a round number, so that it
	// does not fall into step with what it looks at.
	sampleHz = 99
	// drainEvery is how long events may lie in the kernel's buffer.
	drainEvery = 50 * time.Millisecond
	// finishAgain is how long walks that lack a rule may lie there when others have just
	// done so. Until it is given, others lack it too.
	finishAgain = time.Millisecond
	// renewEvery is how long code that took the place of other code is taken for it.
	renewEvery = time.Second
)

// Observation is one process being watched.
type Observation struct {
	attachment *attachment
	events     *ring
	misses     *ring
	shedder    *shedder
	unwinder   *unwinder
	symbols    []*usym.Symbolizer
	done       chan struct{} // closed by Close
	drained    sync.WaitGroup
	batches    chan *batch
	flushing   atomic.Bool // what has happened up to now is asked for
	flushed    chan struct{}
	closeOnce  sync.Once
	closeErr   error
	missed     uint64 // what findMissed was last told

	mu      sync.Mutex // guards what follows
	builder *builder
	err     error // that ended the reading
}

// Observe begins to watch process pid, and its descendants if not told otherwise.
// The process itself is not touched. Descendants whose parent was gone before are
// not known as such.
func Observe(pid int, opts Options) (*Observation, error) {
	if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); err != nil {
		return nil, fmt.Errorf("observe process %d: %w", pid, errors.Join(ErrNoProcess, err))
	}
	namespace, err := ownNamespace()
	if err != nil {
		return nil, err
	}
	var kernel *ksym.Table
	code := newCode(usym.New())
	var loading sync.WaitGroup
	loading.Go(func() { kernel = opts.Kernel.loadSymbols() })
	loading.Go(func() { code.readAhead(pid) })
	defer loading.Wait()
	a, found, err := watch(bpf.Options{
		Target:       pid,
		Children:     !opts.NoChildren,
		Own:          os.Getpid(),
		PIDNamespace: namespace,
		Events:       true,
		UserStacks:   userStackPolicy(opts),
		KernelStacks: kernelStackPolicy(opts),

		NoKernelLocks: opts.NoKernelLocks,
		Types:         opts.Kernel.typeCache(),
	})
	if err != nil {
		return nil, fmt.Errorf("observe process %d: %w", pid, err)
	}
	if found == 0 {
		return nil, errors.Join(fmt.Errorf("observe process %d: %w", pid, ErrNoProcess), a.Close())
	}
	if !opts.NoSamples {
		err = a.sample(sampleHz)
	}
	if opts.Cost {
		err = errors.Join(err, a.countCost())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("observe process %d: %w", pid, err), a.Close())
	}
	loading.Wait()
	debug.FreeOSMemory() // loading takes several times the memory that watching does
	return newObservation(a, kernel, code, opts.budget())
}

func (o Options) budget() float64 {
	if o.Budget == 0 {
		return DefaultBudget
	}
	return max(o.Budget, 0)
}

func kernelStackPolicy(opts Options) bpf.KernelStacks {
	if opts.KernelStacks {
		return bpf.KernelStacksAlways
	}
	return bpf.KernelStacksUnexplained
}

// HaveUnwindRules says whether user stacks are walked by unwind rules on this machine,
// and not along frame pointers.
const HaveUnwindRules = runtime.GOARCH == "amd64"

func userStackPolicy(opts Options) bpf.UserStacks {
	if opts.FramePointers || !HaveUnwindRules {
		return bpf.UserStacksByFramePointers
	}
	return bpf.UserStacksByRules
}

// newObservation reads what a sends and owns a from then on.
func newObservation(a *attachment, kernel *ksym.Table, code *code, budget float64) (*Observation, error) {
	events, err := openRing(a.objects.Events)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	misses, err := openRing(a.objects.Misses)
	if err != nil {
		return nil, errors.Join(err, events.close(), a.Close())
	}
	// Apart from the code's maps, so that no walk waits for symbols to be read.
	user := usym.NewBehind(code.maps)
	unwinder := newUnwinder(misses, code, rules{a.objects.Rules, a.objects.Epoch})
	o := &Observation{
		attachment: a,
		events:     events,
		misses:     misses,
		shedder:    newShedder(a.objects.Told, Now, budget),
		unwinder:   unwinder,
		symbols:    []*usym.Symbolizer{user, code.maps},
		done:       make(chan struct{}),
		batches:    make(chan *batch, maxBatches),
		flushed:    make(chan struct{}, 1),
		builder:    newBuilder(newStackTable(a.objects.Stacks, unwinder, user, kernel)),
	}
	o.drained.Go(o.drain)
	o.drained.Go(o.build)
	o.drained.Go(o.finish)
	return o, nil
}

// finish has the walks finished that lack a rule, until Close.
func (o *Observation) finish() {
	renewed := time.Now()
	for o.misses.await(o.misses.filled, renewEvery) {
		if time.Since(renewed) >= renewEvery {
			if err := o.unwinder.renew(); err != nil {
				o.fail(err)
				return
			}
			renewed = time.Now()
		}
		if o.unwinder.work() == 0 {
			continue
		}
		select {
		case <-o.done:
			return
		case <-time.After(finishAgain):
		}
	}
}

// drain takes events out of the kernel's buffer until Close. It waits for nothing that
// takes long, such as names that are read from files.
func (o *Observation) drain() {
	defer close(o.batches)
	next := newBatch()
	hand := func() {
		o.batches <- next
		next = newBatch()
	}
	for o.events.pause(o.flushing.Load, drainEvery) {
		flushing := o.flushing.Swap(false)
		for {
			record, err := o.events.next()
			if err != nil {
				o.fail(err)
				return
			}
			if record == nil {
				break
			}
			if err := o.shedder.note(record); err != nil {
				o.fail(err)
				return
			}
			if next.add(record); next.full() {
				hand()
			}
		}
		if err := o.shedder.adjust(); err != nil {
			o.fail(err)
			return
		}
		next.flushed = flushing
		if flushing || len(next.ends) > 0 {
			hand()
		}
	}
}

// build puts events into the builder until there will be no more.
func (o *Observation) build() {
	defer close(o.flushed)
	for b := range o.batches {
		o.mu.Lock()
		if o.err == nil {
			o.err = b.each(o.builder.add)
		}
		o.mu.Unlock()
		if b.flushed {
			o.flushed <- struct{}{}
		}
		batches.Put(b)
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
	if err := o.attachment.sendPending(); err != nil {
		return nil, err
	}
	o.flushing.Store(true)
	o.events.wake()
	<-o.flushed
	looks, err := lookLate(open, o.attachment.threads)
	if err != nil {
		return nil, err
	}
	lost, err := o.attachment.loss()
	if err != nil {
		return nil, err
	}
	if err := o.findMissed(lost.MapFull + lost.Skipped); err != nil {
		return nil, err
	}
	incomplete, err := o.unwinder.state()
	if err != nil {
		return nil, err
	}
	lost.StackIncomplete += incomplete

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, o.err
	}
	trace := o.builder.cut(window, open, looks, lost)
	if spans := o.shedder.spans(window); trace.Shed.Waits > 0 { // else all waits are told all the same
		trace.Shed.Spans = spans
	}
	for _, s := range o.symbols {
		s.DropGone()
	}
	return trace, nil
}

// findMissed looks for threads that could not be watched when they were born: the
// kernel gives a task no storage while it is busy with another's on the same CPU, and
// skips a program that runs there already. missed counts both since the beginning.
func (o *Observation) findMissed(missed uint64) error {
	if missed == o.missed {
		return nil
	}
	o.missed = missed
	_, err := o.attachment.watchExisting()
	return err
}

// Cost returns what watching has cost so far.
func (o *Observation) Cost() (Cost, error) { return o.attachment.cost() }

// Close stops the watching and joins what worked for it. It may be called twice.
func (o *Observation) Close() error {
	o.closeOnce.Do(func() {
		close(o.done)
		err := errors.Join(o.events.stop(), o.misses.stop())
		o.drained.Wait()
		err = errors.Join(err, o.events.close(), o.misses.close())
		for _, s := range o.symbols {
			s.Close()
		}
		o.closeErr = errors.Join(err, o.attachment.Close())
	})
	return o.closeErr
}
