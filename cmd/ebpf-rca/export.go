// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/report"
	"github.com/os2026/ebpf-rca/results"
)

// perfetto is the format of a single run.
const perfetto = "perfetto"

// reference is the format of the folder of a matrix.
const reference = "reference"

// exportOptions are the flags of export.
type exportOptions struct {
	format, analyzer, output string
	run                      int
}

func newExport() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write a result folder in the forms that other programs read",
		Long: `export grades a result folder again, as score does, and writes what run leaves beside the
records, or with --format one of:

  bench         the Go benchmark format, for benchstat
  junit, ctrf   test reports: a test a run
  markdown      a summary
  html          the page that report makes
  pprof-found   what was blamed, as a profile, and
  pprof-true    what was to blame: go tool pprof -diff_base shows the error
  folded-found, folded-true  the same as folded stacks, for flame graphs
  perfetto      one run, --run INDEX, as a trace to open on ui.perfetto.dev
  reference     of a matrix: counts by kernel and scenario, small enough to commit

Test reports, profiles, stacks and traces are of the first analyser, or of --analyzer.`,
		Example: `  ebpf-rca export results/runs/main
  ebpf-rca export results/runs/main --format perfetto --run 3 -o run-3.json
  ebpf-rca export results/runs/main --format bench >new.txt && benchstat -col kernel old.txt new.txt
  go tool pprof -diff_base main/blame-true.pb.gz -top -cum main/blame-found.pb.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			return errors.Join(exactly(1, "result folder")(cmd, args), o.check(cmd.Flags().Changed))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.format == reference {
				return o.exportReference(args[0], cmd.OutOrStdout())
			}
			folder, err := openGraded(args[0])
			if err != nil {
				return openError(err)
			}
			for _, warning := range folder.Warnings {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", warning)
			}
			tellDoubts(cmd.ErrOrStderr(), folder.Doubts)
			if o.format == "" {
				return writeExports(folder)
			}
			return o.export(folder, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "write this alone (default all but perfetto, into the folder)")
	f.StringVarP(&o.output, "output", "o", "", "the `FILE` to write (default standard output)")
	f.StringVar(&o.analyzer, "analyzer", "", "with --format: the analyser to tell of (default the first)")
	f.IntVar(&o.run, "run", 0, "with --format perfetto: the `INDEX` of the run in the plan")
	return cmd
}

func (o exportOptions) check(changed func(flag string) bool) error {
	_, known := findFormat(o.format)
	switch {
	case o.format == "" && (changed("output") || changed("analyzer") || changed("run")):
		return errors.New("--output, --analyzer and --run go with --format")
	case o.format != "" && o.format != perfetto && o.format != reference && !known:
		return fmt.Errorf("--format %s: there are %s", o.format, formatNames())
	case changed("run") != (o.format == perfetto):
		return errors.New("--run INDEX goes with --format perfetto")
	}
	return checkOutput("--output", o.output)
}

func formatNames() string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return strings.Join(append(names, perfetto, reference), ", ")
}

// export writes one format.
func (o exportOptions) export(folder *results.Folder, stdout io.Writer) error {
	if o.analyzer != "" {
		if !slices.Contains(folder.Plan.Analyzers, o.analyzer) {
			return usage(fmt.Errorf("--analyzer %s: the folder has %s", o.analyzer, strings.Join(folder.Plan.Analyzers, ", ")))
		}
		folder = folder.Of(o.analyzer)
	}
	write := func(w io.Writer) error { return o.writeTrace(w, folder) }
	if f, known := findFormat(o.format); known {
		write = func(w io.Writer) error { return f.write(w, folder) }
	}
	return o.put(stdout, write)
}

// put writes to where the flags say.
func (o exportOptions) put(stdout io.Writer, write func(io.Writer) error) error {
	if o.output == "" || o.output == "-" {
		return write(stdout)
	}
	return writeOutput("--output", o.output, write)
}

func (o exportOptions) exportReference(dir string, stdout io.Writer) error {
	kernels, err := openMatrix(dir)
	if err != nil {
		return openError(err)
	}
	return o.put(stdout, func(w io.Writer) error {
		return results.WriteReference(w, results.ReferenceOf(kernels.folders))
	})
}

func (o exportOptions) writeTrace(w io.Writer, folder *results.Folder) error {
	i := slices.IndexFunc(folder.Records, func(r results.Record) bool { return r.Index == o.run })
	if i < 0 {
		return usage(fmt.Errorf("--run %d: %s has no such run planned", o.run, folder.Dir))
	}
	ledger, err := readLedger(folder.Dir, folder.Records[i])
	if err != nil {
		return err
	}
	return report.WriteTrace(w, ledger, folder.Records[i])
}
