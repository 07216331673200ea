// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/report"
	"github.com/os2026/ebpf-rca/results"
)

// reportFile is the name of the page in a result folder.
const reportFile = "report.html"

// timelineChoices are the values of report --timelines.
var timelineChoices = []report.Timelines{report.Failures, report.All, report.None}

func newReport() *cobra.Command {
	var out, timelines string
	cmd := &cobra.Command{
		Use:   "report DIR…",
		Short: "Make one page of result folders, to look at",
		Long: `report renders result folders as one HTML page that stands alone: it reads offline and in
print, has no script and asks for nothing from outside. Besides the figures it shows of
each run that went wrong what the threads did and what the analysis made of it. Verdicts
are graded again, as score does; the folders are not changed.

A folder that cannot be read is told on the page, the others are rendered, and the exit
code is 3.`,
		Example: `  ebpf-rca report results/runs/20261130T131500Z-6.18.44-1f3a
  ebpf-rca report old new -o kernels.html
  ebpf-rca report --timelines all -o - results/runs/main >report.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("report takes one result folder or more")
			}
			if !slices.Contains(timelineChoices, report.Timelines(timelines)) {
				return fmt.Errorf("--timelines %s: there are failures, all and none", timelines)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := results.Expand(args)
			if err != nil {
				return err
			}
			inputs := report.Open(dirs)
			if firstRead(inputs) == "" {
				return openError(inputs[0].Err)
			}
			for _, in := range inputs {
				if in.Err == nil {
					gradeAgain(in.Folder)
				}
			}
			var page bytes.Buffer
			if err := report.Write(&page, inputs, report.Options{Timelines: report.Timelines(timelines)}); err != nil {
				return err
			}
			if err := putPage(out, firstRead(inputs), page.Bytes(), cmd.OutOrStdout()); err != nil {
				return err
			}
			return tellUnread(inputs, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the `FILE` to write, - for standard output (default "+reportFile+" in the first folder)")
	cmd.Flags().StringVar(&timelines, "timelines", string(report.Failures), "of which runs to draw one: failures and an example of each scenario, all, or none")
	return cmd
}

// firstRead is the first folder that could be read, empty if none could.
func firstRead(inputs []report.Input) string {
	for _, in := range inputs {
		if in.Err == nil {
			return in.Dir
		}
	}
	return ""
}

// putPage writes the page whole or not at all.
func putPage(out, first string, page []byte, stdout io.Writer) error {
	if out == "-" {
		_, err := stdout.Write(page)
		return err
	}
	if out == "" {
		out = filepath.Join(first, reportFile)
	}
	if err := results.PutFile(filepath.Dir(out), filepath.Base(out), page, results.OwnerFromEnv(os.Getenv)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(stdout, out)
	return err
}

// tellUnread names the folders that are missing from the page.
func tellUnread(inputs []report.Input, stderr io.Writer) error {
	code := exitGood
	for _, in := range inputs {
		if in.Err != nil {
			fmt.Fprintln(stderr, in.Err)
			code = exitInfra
		}
	}
	if code == exitGood {
		return nil
	}
	return &exit{code: code}
}
