// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/capture"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/rca"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	json     bool
	minShare float64 // 0: that of the capture
	analyzer string
}

func newReplay() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay CAPTURE…",
		Short: "Analyse captures again, without root",
		Long: `replay analyses what diagnose --capture or run --keep-capture kept, and prints what
diagnose prints. Where nothing is asked for that is different, it is the same to the
last byte.

Of a damaged capture it analyses what can be read, says so, and ends with exit code 3.`,
		Example: `  ebpf-rca replay slow.cap.zst
  ebpf-rca replay --json results/runs/20261130T131500Z-6.18.44-1f3a/captures/*.cap.zst
  ebpf-rca replay --analyzer last-waker slow.cap.zst`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay takes a capture or more, not 0")
			}
			return o.check(cmd.Flags().Changed("min-share"))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.replay(args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON object a capture, each on a line")
	f.Float64Var(&o.minShare, "min-share", 0, "the share of its time a victim must have lost, in 0..1 (default: as when it was captured)")
	f.StringVar(&o.analyzer, "analyzer", ourAnalyzer, "analyse with `NAME`, one of those that run can grade")
	return cmd
}

func (o replayOptions) check(withShare bool) error {
	if _, err := findAnalyzer(o.analyzer); err != nil {
		return err
	}
	if !withShare {
		return nil
	}
	if o.analyzer != ourAnalyzer {
		return fmt.Errorf("--min-share is of the analyser %s, and --analyzer is %s", ourAnalyzer, o.analyzer)
	}
	return checkMinShare(o.minShare)
}

// replay analyses all captures, those after one that cannot be read too.
func (o replayOptions) replay(paths []string, stdout io.Writer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(garbagePercent)) // most of a large capture is in use
	var unread []error
	told := 0
	for _, path := range paths {
		seen, err := readCapture(path)
		if err != nil {
			unread = append(unread, err)
			if seen.Trace.Window.Length() <= 0 {
				continue
			}
			seen.Notes = append(seen.Notes, "this is of a damaged capture, as far as it can be read")
		}
		if told++; told > 1 && !o.json {
			fmt.Fprintln(stdout)
		}
		analysis, err := o.analyze(&seen)
		if err != nil {
			return err
		}
		if err := o.tell(stdout, diagnosisOf(&seen, analysis)); err != nil {
			return err
		}
	}
	return errors.Join(unread...)
}

func readCapture(path string) (capture.Capture, error) {
	f, err := os.Open(path)
	if err != nil {
		return capture.Capture{}, openError(err)
	}
	defer f.Close()
	seen, err := capture.Read(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return seen, err
}

// analyze analyses what was seen, of which the events may be gone then.
func (o replayOptions) analyze(seen *capture.Capture) (contention.Analysis, error) {
	if o.analyzer == ourAnalyzer {
		return rca.Analyze(&seen.Trace, rca.Options{MinShare: cmp.Or(o.minShare, seen.MinShare), Consume: true}), nil
	}
	other, err := findAnalyzer(o.analyzer)
	if err != nil {
		return contention.Analysis{}, err
	}
	return other.Analyze(&seen.Trace), nil
}

func (o replayOptions) tell(w io.Writer, d diagnosis) error {
	if o.json {
		return d.write(w)
	}
	return writeScreen(w, d)
}
