// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/os2026/ebpf-rca/results"
)

// Options says how kernels are tried. QEMU, Payload and Folder are required.
type Options struct {
	QEMU QEMU
	// Payload is what guests have beside their results.
	Payload *Payload
	// Accel is empty to try KVM and fall back to emulation.
	Accel Accel
	// CPUs and Memory, in MiB, are each guest's; 0 are 2 and 1024.
	CPUs, Memory int
	// Append is added to the kernel's command line.
	Append string
	// Boot is how long a guest may take to come up, Silence how long it may be silent
	// after that; 0 are 2 and 5 minutes.
	Boot, Silence time.Duration
	// Retries is how often a run is played again because the host did not let its guest run.
	Retries int
	// Jobs is how many guests run at a time; 0 is 1.
	Jobs int
	// Folder is the result folder, with its plan, of the kernel of that number.
	Folder func(number int) *results.Store
	// Progress, if there is one, is told what happens. It may be called by several guests
	// at a time.
	Progress func(Event)
}

// Event is a step of a kernel's plan.
type Event struct {
	Kernel Kernel
	// Run and Record tell of one that begins or is recorded.
	Run    *results.Run
	Record *results.Record
	// Done is how many of the Total records are kept.
	Done, Total int
	// Note is whatever else is to be told.
	Note string
}

func (o Options) withDefaults() Options {
	if o.CPUs == 0 {
		o.CPUs = 2
	}
	if o.Memory == 0 {
		o.Memory = 1024
	}
	if o.Boot == 0 {
		o.Boot = 2 * time.Minute
	}
	if o.Silence == 0 {
		o.Silence = 5 * time.Minute
	}
	if o.Jobs == 0 {
		o.Jobs = 1
	}
	return o
}

// Outcome is what became of a kernel.
type Outcome struct {
	Kernel Kernel
	Dir    string
	Accel  Accel
	// Boots is how often the kernel was started; once if all went well.
	Boots int
	// Deaths are the reasons why guests did not come to their end.
	Deaths []string
	// Err is why its plan was given up, or nil.
	Err error
}

// Run plays the plan of each kernel's folder. What is wrong with a kernel is told in its
// outcome; an error is one of this machine, or ctx's.
func Run(ctx context.Context, kernels []Kernel, o Options) ([]Outcome, error) {
	o = o.withDefaults()
	base, err := o.pack()
	if err != nil {
		return nil, err
	}
	accel, err := o.choose(ctx, kernels, base)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(kernels))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.Jobs)
	for i, kernel := range kernels {
		group.Go(func() error {
			t := o.trial(kernel, o.Folder(i), accel, base)
			var err error
			outcomes[i], err = t.play(ctx)
			return errors.Join(err, t.store.Close())
		})
	}
	err = group.Wait()
	return outcomes, err
}
