// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/results"
)

// inFolder says of each doubt which folder it is of.
func inFolder(dir string, doubts []string) []string {
	named := make([]string, len(doubts))
	for i, doubt := range doubts {
		named[i] = dir + ": " + doubt
	}
	return named
}

func newCompare() *cobra.Command {
	var o results.CompareOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare A B…",
		Short: "Compare result folders, or analysers: kernels, builds or tools",
		Long: `compare puts two or more result folders side by side, scenario by scenario, in the order
of their kernels, and says first in what their environments differ. Records are graded
again as by score, and those that their ledgers do not bear out are named. Each is tested
against the first named, in hits, false alarms and the error of the blame: pairs of the
same seed and dose where there are any. A scenario is worse or better where chance does
not explain it, unchanged where a change of --drop is ruled out, else unknown.

With --against the base is another analyser's answer to the runs of the first folder, of
which there then need not be a second. What it costs to observe is not compared.`,
		Example: `  ebpf-rca compare old new
  ebpf-rca compare --gate results/runs/main results/runs/branch   # exit 1 on a significant loss
  ebpf-rca compare --against last-waker new                       # two analysers of one run`,
		Args: func(cmd *cobra.Command, args []string) error {
			least := 2
			if cmd.Flags().Changed("against") {
				least = 1
			}
			if len(args) < least && !slices.ContainsFunc(args, isMatrix) {
				return fmt.Errorf("compare takes two folders or more, or one with --against, not %d", len(args))
			}
			if o.Drop <= 0 || o.Drop >= 1 {
				return fmt.Errorf("--drop %v: it lies between 0 and 1", o.Drop)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := results.Expand(args)
			if err != nil {
				return err
			}
			var folders []*results.Folder
			for _, dir := range dirs {
				folder, err := openGraded(dir)
				if err != nil {
					return openError(err)
				}
				for _, warning := range folder.Warnings {
					fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s\n", dir, warning)
				}
				tellDoubts(cmd.ErrOrStderr(), inFolder(dir, folder.Doubts))
				folders = append(folders, folder)
			}
			comparison, err := results.Compare(folders, o)
			if err != nil {
				return usage(err)
			}
			write := comparison.Write
			if asJSON {
				write = func(w io.Writer) error { return writeJSON(w, comparison) }
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return err
			}
			return outcomeError(comparison.Outcome(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&o.Gate, "gate", false, "exit 1 where a scenario got significantly worse")
	cmd.Flags().StringVar(&o.Analyzer, "analyzer", "rca", "the analyser whose records are compared")
	cmd.Flags().StringVar(&o.Against, "against", "", "compare with what this `ANALYZER` made of the first folder")
	cmd.Flags().Float64Var(&o.Drop, "drop", results.DefaultDrop, "the change of a share that is to be ruled out")
	return cmd
}
