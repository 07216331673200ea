// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

func newScore() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "score DIR",
		Short: "Grade the records of a result folder again, without root",
		Long: `score computes verdicts and figures again, from the findings that the records of a
folder hold and the truth that the ledgers beside them give. It prints the table, how far
confidences can be relied on and, for a run with --dose-sweep, from which hold time on the
faults of each family are found, and tells each reason to doubt these figures. Of the
folder of a matrix it prints a line for each kernel. The folder is not changed. The exit code is that which run would have ended with.`,
		Example: "  ebpf-rca score results/runs/20261130T131500Z-6.18.44-1f3a",
		Args:    exactly(1, "result folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isMatrix(args[0]) {
				return scoreMatrix(args[0], asJSON, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			folder, err := openGraded(args[0])
			if err != nil {
				return openError(err)
			}
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

// openGraded opens a folder and grades its records again, by their ledgers.
func openGraded(dir string) (*results.Folder, error) {
	folder, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	gradeAgain(folder)
	return folder, nil
}

// gradeAgain grades the records of a folder by their ledgers.
func gradeAgain(folder *results.Folder) {
	harness.Recheck(folder, scenarios.Catalogue())
	folder.Regrade(ordered)
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
	outcome := scores.Outcome()
	tellDoubts(stderr, scores.DoubtsBeside(outcome))
	return outcomeError(outcome, stderr)
}

// mostDoubts is how many are told on a terminal; the JSON holds all.
const mostDoubts = 40

func tellDoubts(w io.Writer, doubts []string) {
	for _, doubt := range doubts[:min(len(doubts), mostDoubts)] {
		fmt.Fprintf(w, "doubt: %s\n", doubt)
	}
	if more := len(doubts) - mostDoubts; more > 0 {
		fmt.Fprintf(w, "doubt: and %d more, see --json\n", more)
	}
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
