// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/results"
)

func newMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge DIR… --out DIR",
		Short: "Join the result folders of a plan that was run in parts",
		Long: `merge joins the folders that 'ebpf-rca run --shard I/N' leaves into a new one, with their
records, ledgers and captures, and ends as run would have that had played all of it.

The runs of a part that is not given are lost. A folder given twice, or an earlier copy
of it, counts once; two different runs of one part are refused, for to choose between
them would be to choose the figures. So are parts of different plans. Parts may come
from different machines: what they do not have in common is told. Folders of matrix are
joined kernel by kernel.`,
		Example: `  ebpf-rca merge part-1 part-2 part-3 part-4 --out whole
  ebpf-rca merge /results/shard-* --out /results/whole`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("merge takes one folder or more, not 0")
			}
			if out == "" {
				return errors.New("merge takes --out DIR, the folder to make")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.ContainsFunc(args, isMatrix) {
				return mergeMatrices(args, out, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if err := mergeFolders(args, out, cmd.ErrOrStderr()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "results are in %s\n", out)
			return concludeRun(out, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder to make; it must not be there, or be empty")
	return cmd
}

func mergeFolders(dirs []string, out string, stderr io.Writer) error {
	var folders []*results.Folder
	for _, dir := range dirs {
		folder, err := results.Open(dir)
		if err != nil {
			return openError(err)
		}
		for _, warning := range folder.Warnings {
			fmt.Fprintf(stderr, "warning: %s: %s\n", dir, warning)
		}
		folders = append(folders, folder)
	}
	return mergeError(results.Merge(out, folders, storeOptions()))
}

func mergeMatrices(dirs []string, out string, stdout, stderr io.Writer) error {
	if err := mergeError(openError(results.MergeMatrices(out, dirs, storeOptions()))); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "results are in %s\n", out)
	return concludeMatrix(out, stdout, stderr)
}

// mergeError marks what cannot be merged as the caller's mistake.
func mergeError(err error) error {
	for _, mistake := range []error{results.ErrPlans, results.ErrTwice, fs.ErrExist} {
		if errors.Is(err, mistake) {
			return usage(err)
		}
	}
	return err
}
