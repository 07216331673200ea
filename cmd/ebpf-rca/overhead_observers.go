// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/overhead"
	"github.com/os2026/ebpf-rca/harness/peers"
)

// choice is an observer of ours whose cost can be measured.
type choice struct {
	name  string
	watch func(pid int, account bool) (overhead.Watch, error)
	// checked, if there is any, is what is tried beforehand.
	checked *collector.Options
}

// choices are, from the cheapest on, doing nothing, empty programs, samples of all threads,
// the default mode, and that with one part more or less.
func choices() []choice {
	list := []choice{
		{name: overhead.None},
		{overhead.Empty, watchEmpty, &collector.Options{NoSamples: true}},
		{"accounting", watchSampling, &collector.Options{NoSamples: true}},
	}
	for _, mode := range []struct {
		name    string
		options collector.Options
	}{
		{overhead.Default, collector.Options{}},
		{overhead.Default + "-no-budget", collector.Options{Budget: -1}},
		{overhead.Default + "-no-samples", collector.Options{NoSamples: true}},
		{overhead.Default + "-no-kernel-locks", collector.Options{NoKernelLocks: true}},
		{overhead.Default + "-frame-pointers", collector.Options{FramePointers: true}},
		{overhead.Default + "-kernel-stacks", collector.Options{KernelStacks: true}},
	} {
		list = append(list, choice{mode.name, watchWith(mode.options), &mode.options})
	}
	return list
}

func findChoice(name string) (choice, bool) {
	all := choices()
	i := slices.IndexFunc(all, func(c choice) bool { return c.name == name })
	if i < 0 {
		return choice{}, false
	}
	return all[i], true
}

func ownObserverNames() []string {
	var names []string
	for _, c := range choices() {
		names = append(names, c.name)
	}
	return names
}

func observerNames() []string { return slices.Concat(ownObserverNames(), peerNames()) }

// selectedObservers are those that the flags ask for. That of nobody is measured in any case.
func (o overheadOptions) selectedObservers() []overhead.Observer {
	var list []overhead.Observer
	for _, c := range choices() {
		if slices.Contains(o.observers, c.name) && c.watch != nil {
			list = append(list, c.observer())
		}
	}
	for _, p := range peers.All() {
		if slices.Contains(o.observers, p.Name) {
			list = append(list, overhead.Peer(p))
		}
	}
	return list
}

// observer begins each watch with as little memory as may be, so that the most it has is
// its own.
func (c choice) observer() overhead.Observer {
	watch := func(_ context.Context, pid int, account bool) (overhead.Watch, error) {
		debug.FreeOSMemory()
		if err := overhead.ForgetPeak(); err != nil && !errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		return c.watch(pid, account)
	}
	return overhead.Observer{Name: c.name, Watch: watch, Accounted: true}
}

// used is what this process used, with what the kernel says of programs and maps.
func used(cost collector.Cost, err error) (overhead.Used, error) {
	if err != nil {
		return overhead.Used{}, err
	}
	u, err := overhead.UsedBy(os.Getpid())
	if err != nil {
		return overhead.Used{}, err
	}
	u.MapBytes = cost.MapBytes
	u.Programs = make(map[string]overhead.Program, len(cost.Programs))
	for name, p := range cost.Programs {
		u.Programs[name] = overhead.Program{Runs: p.Runs, Time: p.Time}
	}
	return u, nil
}

// emptyWatch is programs that do nothing.
type emptyWatch struct{ *collector.Empty }

func watchEmpty(_ int, account bool) (overhead.Watch, error) {
	programs, err := collector.AttachEmpty()
	if err != nil {
		return nil, err
	}
	if account {
		if err := programs.CountCost(); err != nil {
			return nil, errors.Join(err, programs.Close())
		}
	}
	return emptyWatch{programs}, nil
}

func (w emptyWatch) Used() (overhead.Used, error) { return used(w.Cost()) }

func (emptyWatch) Finish(context.Context) (contention.Loss, error) { return contention.Loss{}, nil }

// samplingWatch is the collector of samples of all threads, which are asked for as long as
// it watches.
type samplingWatch struct {
	*collector.LockCollector
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
	err     error // of the asking; after stopped
}

// sampleEvery is how often samples are asked for.
const sampleEvery = 200 * time.Millisecond

func watchSampling(_ int, account bool) (overhead.Watch, error) {
	c, err := collector.NewLockCollector()
	if err != nil {
		return nil, err
	}
	if account {
		if err := c.CountCost(); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	w := &samplingWatch{LockCollector: c, stop: make(chan struct{})}
	w.stopped.Go(w.poll)
	return w, nil
}

func (w *samplingWatch) poll() {
	for w.err == nil {
		select {
		case <-w.stop:
			return
		default:
		}
		_, w.err = w.Poll(sampleEvery)
	}
}

func (w *samplingWatch) Used() (overhead.Used, error) { return used(w.Cost()) }

func (w *samplingWatch) Finish(context.Context) (contention.Loss, error) {
	w.end()
	if w.err != nil {
		return contention.Loss{}, fmt.Errorf("sample: %w", w.err)
	}
	return w.Loss()
}

func (w *samplingWatch) end() {
	w.once.Do(func() { close(w.stop) })
	w.stopped.Wait()
}

func (w *samplingWatch) Close() error {
	w.end()
	return w.LockCollector.Close()
}

// modeWatch is the collector that diagnose uses.
type modeWatch struct {
	*collector.Observation
	begin time.Duration
}

func watchWith(options collector.Options) func(pid int, account bool) (overhead.Watch, error) {
	return func(pid int, account bool) (overhead.Watch, error) {
		asked := options
		asked.Cost = account
		seen, err := collector.Observe(pid, asked)
		if err != nil {
			return nil, err
		}
		return &modeWatch{Observation: seen, begin: collector.Now()}, nil
	}
}

func (w *modeWatch) Used() (overhead.Used, error) { return used(w.Cost()) }

// Finish cuts the trace, as diagnose does, and drops it.
func (w *modeWatch) Finish(context.Context) (contention.Loss, error) {
	trace, err := w.Cut(contention.Window{Begin: w.begin, End: collector.Now()})
	if err != nil {
		return contention.Loss{}, err
	}
	return trace.Loss, nil
}
