// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitGood    = 0
	exitBelow   = 1 // a scenario fell below its threshold, or a gate failed
	exitUsage   = 2
	exitInfra   = 3 // lost or incomplete runs, or too few valid ones
	exitNothing = 4 // nothing can run here
	// exitPipe is what a shell sees of a program that SIGPIPE ended.
	exitPipe = 128 + int(syscall.SIGPIPE)
)

// exit is an error that says which code to end with. One without a cause has been
// told already.
type exit struct {
	code  int
	cause error
	// misused says that the help of the command would have told.
	misused bool
}

func (e *exit) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

func (e *exit) Unwrap() error { return e.cause }

// usage marks an error as the caller's.
func usage(err error) error { return &exit{code: exitUsage, cause: err} }

// misuse marks an error as one in the flags or arguments of a command.
func misuse(err error) error { return &exit{code: exitUsage, cause: err, misused: true} }

// run carries out one command and returns the code to exit with.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var e *exit
	switch {
	case err == nil:
		return exitGood
	case out.unread:
		return exitPipe
	case !errors.As(err, &e):
		e = &exit{code: exitInfra, cause: err}
	}
	if e.cause != nil {
		fmt.Fprintf(stderr, "ebpf-rca: %s\n", strings.ReplaceAll(e.cause.Error(), "\n", "; "))
	}
	if e.misused {
		fmt.Fprintf(stderr, "'%s --help' says what there is.\n", cmd.CommandPath())
	}
	return e.code
}

// output passes on what is written and notes when nobody reads it any more.
type output struct {
	w      io.Writer
	unread bool
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.unread = o.unread || errors.Is(err, syscall.EPIPE)
	return n, err
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ebpf-rca",
		Short: "Name the thread that makes the others wait",
		Long: `ebpf-rca watches a running program from the kernel and names the thread that makes
the others wait, what it was doing meanwhile, who waited, for what and how long.
It also carries the benchmark that says how often the answer is right: programs
whose culprit is known because it was put there.

Exit codes: 0 good; 1 a scenario fell below its threshold or a gate failed;
2 usage; 3 lost, incomplete or too few valid runs; 4 nothing can run here.`,
		Example: `  sudo ebpf-rca diagnose -p 1234        # who makes process 1234 slow?
  sudo ebpf-rca diagnose -- make -j8    # start a program and watch it
  sudo ebpf-rca run --smoke             # is the analysis right on this kernel?
  ebpf-rca doctor                       # what does this machine allow?`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse(err) })
	root.AddCommand(
		newList(), newDescribe(), newDoctor(), newRun(), newDiagnose(), newReplay(),
		newScore(), newMerge(), newExport(), newCompare(), newReport(), newOverhead(), newMatrix(), newGuest(), newVersion(),
	)
	for _, command := range root.Commands() {
		command.Args = usageArgs(command.Args)
	}
	root.Args = usageArgs(func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no command %q", args[0])
		}
		return nil
	})
	return root
}

// exactly checks that there are n arguments, each a noun.
func exactly(n int, noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %s, not %d", cmd.Name(), plural(n, noun), len(args))
		}
		return nil
	}
}

// usageArgs marks what check finds wrong with the arguments as the caller's error, unless
// check has marked it itself.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		err := check(cmd, args)
		var e *exit
		if err == nil || errors.As(err, &e) {
			return err
		}
		return misuse(err)
	}
}
