// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/os2026/ebpf-rca/bpf"
)

// attachment is a set of programs at work. It keeps its links referenced: one that
// is collected as garbage is silently detached.
type attachment struct {
	objects *bpf.Objects
	links   []link.Link
	clocks  []*clock
}

// attach loads the programs and begins to watch. The hook for new threads comes
// first and the threads there are come last, so that none is missed.
func attach(opts bpf.Options) (*attachment, error) {
	objects, err := bpf.Load(opts)
	if err != nil {
		return nil, fmt.Errorf("watch the scheduler: %w", err)
	}
	a := &attachment{objects: objects}
	for _, hook := range objects.Hooks {
		l, err := link.AttachTracing(link.TracingOptions{Program: hook})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("attach %v: %w", hook, err), a.Close())
		}
		a.links = append(a.links, l)
	}
	if err := a.watchExisting(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// watchExisting goes over the tasks until it finds no new one: a thread may be
// born with a low tid behind the iterator's back, of one it has not yet reached.
func (a *attachment) watchExisting() error {
	for {
		found, err := iterate(a.objects.WatchExisting)
		if err != nil {
			return fmt.Errorf("go over the threads there are: %w", err)
		}
		if len(found) == 0 {
			return nil
		}
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
	a.clocks, a.links = nil, nil
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

// ownNamespace returns the inode of this process's pid namespace, 0 if it is the
// machine's first one, in which the kernel's own numbers hold.
func ownNamespace() (uint32, error) {
	const first = 0xEFFFFFFC // PROC_PID_INIT_INO
	info, err := os.Stat("/proc/self/ns/pid")
	if err != nil {
		return 0, fmt.Errorf("find the pid namespace: %w", err)
	}
	inode := inodeOf(info)
	if inode == first {
		return 0, nil
	}
	return uint32(inode), nil
}
