// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/matrix/guest"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// guestOptions are what matrix has a guest do.
type guestOptions struct {
	retries  int
	noKernel bool
	capture  bool
}

// args are the options as arguments of the guest's command.
func (o guestOptions) args() []string {
	return []string{
		"guest",
		fmt.Sprintf("--retries=%d", o.retries),
		fmt.Sprintf("--no-kernel-locks=%t", o.noKernel),
		fmt.Sprintf("--keep-capture=%t", o.capture),
	}
}

// newGuest makes the command that plays the plan inside a machine that matrix has booted.
func newGuest() *cobra.Command {
	var o guestOptions
	cmd := &cobra.Command{
		Use:    "guest",
		Short:  "Play the plan of a virtual machine; 'matrix' runs this inside it",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			link, err := guest.OpenLink()
			if err != nil {
				return err
			}
			defer link.Close()
			err = playGuest(cmd.Context(), o, link)
			if err != nil && !errors.Is(err, errUnwell) {
				end := matrix.End{Code: codeOf(err), Reason: err.Error()}
				return errors.Join(err, link.Send(matrix.Message{End: &end}), link.Close())
			}
			return errors.Join(err, link.Close())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.retries, "retries", 0, "as that of run")
	f.BoolVar(&o.noKernel, "no-kernel-locks", false, "as that of run")
	f.BoolVar(&o.capture, "keep-capture", false, "as that of run")
	return cmd
}

// errUnwell says that a guest had trouble before it played anything, as when the host stood
// still as it booted. Another boot may go well.
var errUnwell = errors.New("the guest is not well")

func codeOf(err error) int {
	var e *exit
	if errors.As(err, &e) {
		return e.code
	}
	return exitInfra
}

// playGuest plays what is left of the plan and tells the host what comes of it.
func playGuest(ctx context.Context, o guestOptions, link *guest.Link) error {
	folder, err := results.Open(matrix.ResultsPath)
	if err != nil {
		return err
	}
	plan, err := remaining(folder, nil)
	if err != nil {
		return err
	}
	twins, err := playedTwins(folder.Dir, plan)
	if err != nil {
		return err
	}
	log, err := guest.OpenKernelLog()
	if err != nil {
		return err
	}
	defer log.Close()
	observer := observer{collector.Options{NoKernelLocks: o.noKernel, Kernel: collector.NewKernel()}}
	gaps, cannot := preflight(observer.options)
	env := environment(gaps)
	if err := link.Send(matrix.Message{Env: &env}); err != nil {
		return err
	}
	if cannot != nil {
		return cannot
	}
	if err := log.Check(); err != nil {
		return fmt.Errorf("%w: %w", errUnwell, err)
	}
	return harness.Run(ctx, plan, harness.Options{
		Stage:       harness.Stage{WorkloadDir: matrix.WorkloadPath},
		Observer:    observer,
		Analyzers:   analyzers(),
		Scenarios:   scenarios.Catalogue(),
		Sink:        link,
		Retries:     o.retries,
		KeepCapture: o.capture,
		Twins:       twins,
		Health:      log.Check,
		Progress: func(e harness.Event) {
			if len(e.Records) == 0 {
				_ = link.Send(matrix.Message{Begin: &e.Run}) // if it fails, the record will not come either
			}
		},
	})
}
