// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/report"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

func newScore() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score DIR",
		Short: "Grade the records of a result folder again, without root",
		Long: `score computes verdicts and figures again from the findings and the truth that the
records of a folder hold, and prints the table, how far confidences can be relied on
and, for a run with --dose-sweep, from which hold time on the faults of each family are
found. The folder is not changed. The exit code is that which run would have ended with.`,
		Example: "  ebpf-rca score results/runs/20261130T131500Z-6.18.44-1f3a",
		Args:    exactly(1, "result folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := results.Open(args[0])
			if err != nil {
				return openError(err)
			}
			folder.Regrade(ordered)
			if asJSON {
				if err := writeJSON(cmd.OutOrStdout(), results.Score(folder)); err != nil {
					return err
				}
				return outcomeError(results.Score(folder).Outcome(), cmd.ErrOrStderr())
			}
			return tellScores(folder, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// ordered reports whether a scenario wants its culprits in the order of their blame.
func ordered(name string) bool {
	s, ok := scenarios.Find(name)
	return ok && s.Ordered
}

// openError marks a folder that is not there as the caller's mistake.
func openError(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return usage(err)
	}
	return err
}

// tellScores prints the table and what speaks against the run.
func tellScores(f *results.Folder, stdout, stderr io.Writer) error {
	scores := results.Score(f)
	err := errors.Join(
		results.WriteTable(stdout, scores), results.WriteCalibration(stdout, scores), results.WriteThresholds(stdout, scores),
	)
	if err != nil {
		return err
	}
	for _, warning := range f.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", warning)
	}
	return outcomeError(scores.Outcome(), stderr)
}

// outcomeError turns an outcome into the error that carries its exit code.
func outcomeError(o results.Outcome, stderr io.Writer) error {
	for _, reason := range o.Reasons {
		fmt.Fprintln(stderr, reason)
	}
	if o.Code == exitGood {
		return nil
	}
	return &exit{code: o.Code}
}

// writeExports writes what other programs and people read, beside the records, and the
// summary to where a CI job shows it.
func writeExports(f *results.Folder) error {
	owner := results.OwnerFromEnv(os.Getenv)
	var summary bytes.Buffer
	if err := results.WriteMarkdown(&summary, f, results.Score(f)); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	var bench, junit, page bytes.Buffer
	err := errors.Join(
		results.WriteBench(&bench, f), results.WriteJUnit(&junit, f),
		report.Write(&page, []report.Input{{Dir: f.Dir, Folder: f}}, report.Options{}),
	)
	if err != nil {
		return fmt.Errorf("write the exports: %w", err)
	}
	for name, data := range map[string][]byte{
		"summary.md": summary.Bytes(), "bench.txt": bench.Bytes(), "junit.xml": junit.Bytes(),
		reportFile: page.Bytes(),
	} {
		if err := results.PutFile(f.Dir, name, data, owner); err != nil {
			return err
		}
	}
	return appendStepSummary(summary.Bytes())
}

// appendStepSummary adds to the summary of the CI step that runs us, if one does.
func appendStepSummary(text []byte) error {
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the step summary: %w", err)
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
