// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/peers"
	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/ksym"
)

var errNotSupported = bpf.ErrNotSupported

// Answers of a check.
const (
	works   = "yes"
	missing = "no"
	unclear = "unclear"
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	Answer string `json:"answer"` // yes, no or unclear
	Reason string `json:"reason,omitempty"`
	// Without says what degrades where it is missing.
	Without string `json:"without,omitempty"`
	// Needed says that nothing works without it.
	Needed bool `json:"needed"`
}

// examination is what doctor says.
type examination struct {
	Kernel string   `json:"kernel"`
	Works  bool     `json:"works"`
	Checks []check  `json:"checks"`
	Notes  []string `json:"notes"`
}

func newDoctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this kernel and these privileges allow",
		Long: `doctor tries what the collector needs and says, for each thing that is missing, why it
is and what works less well without it. It exits 4 where nothing can be watched.`,
		Example: "  sudo ebpf-rca doctor",
		Args:    exactly(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e := examine()
			write := writeExamination
			if asJSON {
				write = func(w io.Writer, e examination) error { return writeJSON(w, e) }
			}
			if err := write(cmd.OutOrStdout(), e); err != nil {
				return err
			}
			if !e.Works {
				return &exit{code: exitNothing}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func examine() examination {
	_, unwatched := collector.Check(collector.Options{NoSamples: true})
	_, unsampled := collector.Check(collector.Options{})
	watch := answer("watch the scheduler", unwatched,
		"nothing can be watched: run as root, or with CAP_BPF and CAP_PERFMON, on a kernel with BTF", true)
	sample := answer("sample the CPUs", unsampled,
		"what a culprit does on a CPU is not seen, and nothing is watched without", true)
	_, symbols := ksym.Load()
	e := examination{
		Kernel: kernelRelease(),
		Works:  watch.Answer == works && sample.Answer == works,
		Checks: []check{
			answer("kernel types (BTF)", bpf.HaveBTF(), "the programs cannot be fitted to this kernel", true),
			answer("ring buffer", bpf.HaveRingBuffer(), "events cannot be sent (5.8 and later)", true),
			answer("access to tasks", bpf.HaveTaskAccess(),
				"watching costs more, and at most 16384 threads are watched (kernels allow it from 5.15 on)", false),
			watch,
			sample,
			answer(string(collector.KernelLocks), bpf.HaveContention(), collector.KernelLocks.Without(), false),
			answer(string(collector.FileLockHolders), bpf.HaveFileLocks(), collector.FileLockHolders.Without(), false),
			answer("other users' processes", image.HaveOthers(),
				"their functions have no names, and their stacks are cut short", false),
			answer("user stacks by unwind rules", unwindRules(),
				"stacks follow frame pointers, which hide callers where code keeps none", false),
			answer("kernel symbols", symbols, "kernel functions are shown as addresses (see kernel.kptr_restrict)", false),
		},
		Notes: []string{
			"goroutines: a Go program's own locks and channels block no thread, so waits for them are not seen",
		},
	}
	for _, p := range peers.All() {
		e.Checks = append(e.Checks, answer(p.Name, peers.Available(p), "it cannot be graded beside ours", false))
	}
	return e
}

func unwindRules() error {
	if !collector.HaveUnwindRules {
		return fmt.Errorf("processors of type %s: %w", runtime.GOARCH, errNotSupported)
	}
	return nil
}

func answer(name string, err error, without string, needed bool) check {
	c := check{Name: name, Answer: works, Needed: needed}
	switch {
	case err == nil:
	case errors.Is(err, errNotSupported), errors.Is(err, os.ErrPermission), errors.Is(err, ksym.ErrRestricted), errors.Is(err, os.ErrNotExist), errors.Is(err, harness.ErrAbsent):
		c.Answer, c.Reason, c.Without = missing, err.Error(), without
	default:
		c.Answer, c.Reason, c.Without = unclear, err.Error(), without
	}
	return c
}

func writeExamination(w io.Writer, e examination) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "kernel %s\n\n", e.Kernel)
	for _, c := range e.Checks {
		fmt.Fprintf(table, "%s\t%s\n", c.Name, c.Answer)
		if c.Reason != "" {
			fmt.Fprintf(table, "  why\t%s\n  without\t%s\n", c.Reason, c.Without)
		}
	}
	for _, note := range e.Notes {
		fmt.Fprintf(table, "\n%s\n", note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	verdict := "\nThis machine can be watched."
	if !e.Works {
		verdict = "\nNothing can be watched here."
	}
	_, err := fmt.Fprintln(w, verdict)
	return err
}
