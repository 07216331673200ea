// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// attachment is a set of programs at work. It keeps its links referenced: one that
// is collected as garbage is silently detached.
type attachment struct {
	objects    *bpf.Objects
	links      []link.Link
	clocks     []*clock
	statistics io.Closer // keeps the kernel counting what programs cost, or nil
}

// watch loads the programs and begins to watch, and returns how many threads there
// were to watch. They come last, after the hook for new ones, so that none is missed.
func watch(opts bpf.Options) (*attachment, int, error) {
	objects, err := bpf.Load(opts)
	if err != nil {
		return nil, 0, fmt.Errorf("watch the scheduler: %w", err)
	}
	a, err := attach(objects)
	if err != nil {
		return nil, 0, err
	}
	n, err := a.watchExisting()
	if err != nil {
		return nil, 0, errors.Join(err, a.Close())
	}
	return a, n, nil
}

// attach puts the programs of objects to work and owns objects from then on.
func attach(objects *bpf.Objects) (*attachment, error) {
	a := &attachment{objects: objects}
	for _, hook := range slices.AppendSeq(slices.Clone(objects.Hooks), maps.Values(objects.Spares)) {
		l, err := link.AttachTracing(link.TracingOptions{Program: hook})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("attach %v: %w", hook, err), a.Close())
		}
		a.links = append(a.links, l)
	}
	return a, nil
}

// watchExisting goes over the tasks until it finds no new one: a thread may be
// born with a low tid behind the iterator's back, of one it has not yet reached.
func (a *attachment) watchExisting() (int, error) {
	for n := 0; ; {
		found, err := iterate(a.objects.WatchExisting)
		if err != nil {
			return 0, fmt.Errorf("go over the threads there are: %w", err)
		}
		if len(found) == 0 {
			return n, nil
		}
		n += len(found)
	}
}

// sample has each CPU interrupted hz times a second to see who is on it.
func (a *attachment) sample(hz int) error {
	clocks, err := openClocks(a.objects.Sample, hz)
	if err != nil {
		return err
	}
	a.clocks = clocks
	return nil
}

// threads reads the totals of every watched thread and starts them again.
func (a *attachment) threads() ([]bpf.ThreadTotals, error) {
	raw, err := iterate(a.objects.ReadThreads)
	if err != nil {
		return nil, fmt.Errorf("read the threads' totals: %w", err)
	}
	return decodeTotals(raw)
}

// sendPending has each CPU send the waits that it holds back. A CPU that is off has sent
// all it had.
func (a *attachment) sendPending() error {
	const onCPU = 1 // BPF_F_TEST_RUN_ON_CPU
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return fmt.Errorf("count the CPUs: %w", err)
	}
	for cpu := range cpus {
		_, err := a.objects.SendPending.Run(&ebpf.RunOptions{CPU: uint32(cpu), Flags: onCPU})
		if err != nil && !errors.Is(err, unix.ENXIO) {
			return fmt.Errorf("send what CPU %d holds back: %w", cpu, err)
		}
	}
	return nil
}

// loss is what was lost since the programs were put to work.
func (a *attachment) loss() (contention.Loss, error) {
	lost, err := a.objects.Lost()
	if err != nil {
		return contention.Loss{}, err
	}
	skipped, err := a.skipped()
	if err != nil {
		return contention.Loss{}, err
	}
	return contention.Loss{
		RingFull:        lost.RingFull(),
		MapFull:         lost.MapFull(),
		StackIncomplete: lost.StackIncomplete(),
		UnmatchedWake:   lost.UnmatchedWake(),
		Skipped:         skipped,
		Detached:        a.detached(),
		StackMiss:       lost.StackMiss(),
	}, nil
}

// skipped is how often the kernel did not run a program because it ran already on
// that CPU: where it can be preempted, another thread may come to the same place. To
// those on kernel locks only interrupts do, for spinlocks, of which they tell nothing. What
// a hook does not see its spare may.
func (a *attachment) skipped() (n uint64, err error) {
	for _, hook := range a.objects.Hooks {
		if a.objects.SeesKernelLocks(hook) {
			continue
		}
		missed, err := missedBy(hook)
		if err != nil {
			return 0, err
		}
		if spare := a.objects.Spares[hook]; spare != nil && missed > 0 {
			missedToo, err := missedBy(spare)
			if err != nil {
				return 0, err
			}
			missed = min(missed, missedToo)
		}
		n += missed
	}
	return n, nil
}

func missedBy(hook *ebpf.Program) (uint64, error) {
	stats, err := hook.Stats()
	if err != nil {
		return 0, fmt.Errorf("read what %v missed: %w", hook, err)
	}
	return stats.RecursionMisses, nil
}

// detached counts the programs that no longer run.
func (a *attachment) detached() uint64 {
	var n uint64
	for _, l := range a.links {
		if _, err := l.Info(); err != nil {
			n++
		}
	}
	return n
}

// Close detaches and frees everything. It may be called twice.
func (a *attachment) Close() error {
	var errs []error
	for _, c := range a.clocks {
		errs = append(errs, c.Close())
	}
	for _, l := range a.links {
		errs = append(errs, l.Close())
	}
	if a.statistics != nil {
		errs = append(errs, a.statistics.Close())
	}
	a.clocks, a.links, a.statistics = nil, nil, nil
	return errors.Join(append(errs, a.objects.Close())...)
}

// iterate runs an iterator over all tasks and returns what it wrote.
func iterate(program *ebpf.Program) (out []byte, err error) {
	it, err := link.AttachIter(link.IterOptions{Program: program})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	r, err := it.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.ReadAll(r)
}
