// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// matrixOptions are the flags of matrix.
type matrixOptions struct {
	runOptions
	kernels []string
	accel   string
	jobs    int
	cache   string
	mirror  string
	refresh bool
	boot    time.Duration
	silence time.Duration
	memory  int
	cpus    int
	append  string
	shell   bool
	bisect  bool
	fetch   bool
}

func newMatrix() *cobra.Command {
	var o matrixOptions
	cmd := &cobra.Command{
		Use:   "matrix --kernel SPEC… --out DIR",
		Short: "Play the catalogue on other kernels, each in a virtual machine",
		Long: `matrix plays one plan on each of several kernels under QEMU, with KVM where that works
and else emulated, and leaves a result folder for each, which compare and report read
together when they are given the folder around them. It needs no privilege.

SPEC is a series, as 6.1, or 6.12-rt for one with real-time preemption: the newest kernel
package of Debian's is fetched, verified by the package manager against the archive's
signature, and kept for the next time. Or it is the path of an image.

What a guest does not bring home is lost and counts as such. When a kernel panics, oopses,
or a guest hangs, it is booted again and goes on; the run in which it died is played once
more, and that is recorded. What a kernel complains of in its log is held against the run
in which it did. Overhead is not measured: under emulation it says nothing.

With --bisect and one kernel the exit code is 0 if all is right, 1 if not, 125 if there is
no kernel or it does not come so far as to tell, and 128, which ends a bisection, if matrix
is misused or stopped: what 'git bisect run' wants. Each step has a folder in that of --out.`,
		Example: `  ebpf-rca matrix --kernel 5.10 --kernel 6.1 --kernel 6.12-rt --smoke --out kernels
  ebpf-rca matrix --kernel 6.1,7.3 --run '^(mutex|futex|pipe)-' --count 3 --jobs 2 --out kernels
  ebpf-rca matrix --resume kernels
  ebpf-rca compare kernels && ebpf-rca report kernels -o kernels.html
  ebpf-rca matrix --kernel ./arch/x86/boot/bzImage --shell
  git bisect run ebpf-rca matrix --bisect --kernel ./arch/x86/boot/bzImage --run '^mutex-' --out /tmp/bisect`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("matrix takes no %q; --kernel names kernels", args[0])
			}
			if err := cmp.Or(o.checkMatrix(), o.check(), o.checkResume(cmd.Flags().Changed), o.checkSame(cmd.Flags().Changed)); err != nil {
				return o.misused(err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.bisect {
				return runMatrix(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			o.out = nextStep(o.out)
			return bisected(cmd.Context(), runMatrix(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return o.misused(err) })
	f := cmd.Flags()
	f.StringSliceVar(&o.kernels, "kernel", nil, "try kernel `SPEC`: a series, or the path of an image")
	f.StringVar(&o.out, "out", "", "the folder to make, with one in it for each kernel")
	f.StringVar(&o.resume, "resume", "", "go on with the matrix in folder `DIR` where it stopped")
	f.StringVar(&o.run, "run", "", "only scenarios whose name matches the regular expression `RE`")
	f.BoolVar(&o.smoke, "smoke", false, "only the few that are run on every change")
	f.IntVar(&o.count, "count", 1, "how many seeds to play each scenario with")
	f.Uint64Var(&o.seed, "seed", 1, "the first seed; it decides which thread is the culprit")
	f.Func("shard", "play part `I/N` of the plan, the first is 1/N", func(text string) (err error) {
		o.shard, err = results.ParseShard(text)
		return err
	})
	f.StringSliceVar(&o.analyzers, "analyzer", []string{"rca"}, "grade these, the first decides: "+shortAnalyzerNames())
	f.IntVar(&o.retries, "retries", 4, "how often to play a run again because the guest was too busy; each is counted")
	f.BoolVar(&o.noKernel, "no-kernel-locks", false, "do not watch the kernel's own locks")
	f.BoolVar(&o.capture, "keep-capture", false, "keep what the analysis is given of each run, for replay")
	f.StringVar(&o.workloads, "workloads", "", "where the workload programs are (default: workloads beside this program)")
	f.StringVar(&o.accel, "accel", "auto", "what guests run on: kvm, tcg (emulation), or auto")
	f.IntVar(&o.jobs, "jobs", 1, "how many guests to run at a time; an emulated one keeps one CPU busy")
	f.StringVar(&o.cache, "cache", "", "where kernels are kept (default: ebpf-rca/kernels in the user's cache folder)")
	f.StringVar(&o.mirror, "mirror", "", "fetch kernels from Debian's archive at `URI` (default: the one this machine's packages come from)")
	f.BoolVar(&o.refresh, "refresh", false, "look for newer kernels of series that are kept")
	f.DurationVar(&o.boot, "boot-timeout", 2*time.Minute, "how long a guest may take to come up")
	f.DurationVar(&o.silence, "run-timeout", 5*time.Minute, "how long a guest may go without a word")
	f.IntVar(&o.memory, "memory", 1024, "of each guest, in MiB")
	f.IntVar(&o.cpus, "cpus", 2, "of each guest; emulated ones share a CPU of the host")
	f.StringVar(&o.append, "append", "", "add `ARGS` to the kernel's command line")
	f.BoolVar(&o.shell, "shell", false, "boot the one kernel into a shell, with the command and all workloads in /bin")
	f.BoolVar(&o.fetch, "fetch", false, "fetch the kernels that are not kept yet, and do no more")
	f.BoolVar(&o.bisect, "bisect", false, "end as 'git bisect run' wants it")
	return cmd
}

// minMemory is what a guest needs, in MiB.
const minMemory = 384

func (o matrixOptions) checkMatrix() error {
	switch {
	case o.resume == "" && len(o.kernels) == 0:
		return errors.New("matrix takes --kernel SPEC, a series as 6.1 or the path of an image")
	case o.resume == "" && o.out == "" && !o.shell && !o.fetch:
		return errors.New("matrix takes --out DIR, the folder to make")
	case (o.shell || o.bisect) && (len(o.kernels) != 1 || o.resume != ""):
		return errors.New("--shell and --bisect take one --kernel")
	case o.shell && !isTerminal(os.Stdin):
		return errors.New("--shell is for a person: standard input is no terminal")
	case o.jobs < 1 || o.cpus < 1:
		return fmt.Errorf("--jobs %d, --cpus %d: both must be positive", o.jobs, o.cpus)
	case o.memory < minMemory:
		return fmt.Errorf("--memory %d: a guest has its file system in memory and needs %d at least", o.memory, minMemory)
	case o.boot <= 0 || o.silence <= 0:
		return fmt.Errorf("--boot-timeout %v, --run-timeout %v: both must be positive", o.boot, o.silence)
	}
	for _, name := range o.analyzers {
		if _, err := findAnalyzer(name); err != nil {
			return fmt.Errorf("%w; tools of others are not in the guests", err)
		}
	}
	_, err := o.acceleration()
	return err
}

// checkSame refuses the flags that the machines of a matrix are made by, when it goes on.
func (o matrixOptions) checkSame(changed func(flag string) bool) error {
	for _, name := range []string{"kernel", "cpus", "memory", "append"} {
		if changed("resume") && changed(name) {
			return fmt.Errorf("--%s and --resume exclude each other: the kernels and their machines are chosen", name)
		}
	}
	return nil
}

// recall makes the guests what they were when the matrix began.
func (o *matrixOptions) recall() error {
	list, err := results.ReadMatrix(o.resume)
	if err != nil {
		return openError(err)
	}
	if g := list.Guest; g != (results.MatrixGuest{}) {
		o.cpus, o.memory, o.append = g.CPUs, g.Memory, g.Append
	}
	return nil
}

func (o matrixOptions) acceleration() (matrix.Accel, error) {
	switch o.accel {
	case "auto":
		return "", nil
	case string(matrix.KVM), string(matrix.TCG):
		return matrix.Accel(o.accel), nil
	default:
		return "", fmt.Errorf("--accel %s: there are auto, kvm and tcg", o.accel)
	}
}

func runMatrix(ctx context.Context, o matrixOptions, stdout, stderr io.Writer) error {
	told := newMatrixReport(stderr)
	if o.resume != "" {
		if err := o.recall(); err != nil {
			return err
		}
	}
	if o.fetch {
		kernels, err := o.find(ctx, told)
		for _, k := range kernels {
			fmt.Fprintf(stdout, "%s\t%s\n", k.Release, k.Image)
		}
		return err
	}
	qemu, err := matrix.FindQEMU(ctx)
	if err != nil {
		return cannot(err)
	}
	kernels, err := o.find(ctx, told)
	if err != nil {
		return err
	}
	payload, err := o.payload(ctx)
	if err != nil {
		return err
	}
	accel, err := o.acceleration()
	if err != nil {
		return usage(err)
	}
	options := matrix.Options{
		QEMU: qemu, Payload: payload, Accel: accel, CPUs: o.cpus, Memory: o.memory, Append: o.append,
		Boot: o.boot, Silence: o.silence, Jobs: o.jobs, Retries: o.retries, Progress: told.tell,
	}
	if o.shell {
		return cannot(matrix.Shell(ctx, kernels[0], options))
	}
	folders, err := o.folders(kernels)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "results go to %s\n", folders.dir)
	options.Folder = folders.open
	outcomes, err := matrix.Run(ctx, kernels, options)
	told.clear()
	stopped := errors.Is(err, context.Canceled)
	if unwritten := folders.write(outcomes); unwritten != nil || (err != nil && !stopped) {
		return errors.Join(err, unwritten)
	}
	if stopped {
		fmt.Fprintf(stderr, "stopped; 'ebpf-rca matrix --resume %s' goes on\n", folders.dir)
	}
	return concludeMatrix(folders.dir, stdout, stderr)
}

// cannot marks the errors that mean that nothing can run here.
func cannot(err error) error {
	for _, reason := range []error{matrix.ErrNoQEMU, matrix.ErrNoKernel} {
		if errors.Is(err, reason) {
			return &exit{code: exitNothing, cause: err}
		}
	}
	return err
}

// find gets the images of the kernels, before anything is written.
func (o matrixOptions) find(ctx context.Context, told *matrixReport) ([]matrix.Kernel, error) {
	dir, err := o.cacheDir()
	if err != nil {
		return nil, err
	}
	cache := matrix.Cache{Dir: dir, Refresh: o.refresh, Mirror: o.mirror, Progress: told.note}
	if o.resume != "" {
		return resumedKernels(cache, o.resume)
	}
	var kernels []matrix.Kernel
	for _, text := range o.kernels {
		spec, err := matrix.ParseSpec(text)
		if err != nil {
			return nil, usage(fmt.Errorf("--kernel: %w", err))
		}
		kernel, err := cache.Kernel(ctx, spec)
		if err != nil && spec.Path != "" && !o.bisect { // what did not build is no mistake
			return nil, usage(fmt.Errorf("--kernel: %w", err))
		}
		if err != nil {
			return nil, cannot(err)
		}
		kernels = append(kernels, kernel)
	}
	return kernels, nil
}

// resumedKernels are those of a matrix, of the same releases.
func resumedKernels(cache matrix.Cache, dir string) ([]matrix.Kernel, error) {
	list, err := results.ReadMatrix(dir)
	if err != nil {
		return nil, openError(err)
	}
	var kernels []matrix.Kernel
	for _, k := range list.Kernels {
		spec, err := matrix.ParseSpec(k.Spec)
		if err != nil {
			return nil, err
		}
		kernel, err := cache.Release(spec, k.Release)
		if err != nil {
			return nil, cannot(fmt.Errorf("%w; --cache names the folder where it was kept", err))
		}
		kernels = append(kernels, kernel)
	}
	return kernels, nil
}

func (o matrixOptions) cacheDir() (string, error) {
	if o.cache != "" {
		return o.cache, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find where kernels are kept: %w; --cache names a folder", err)
	}
	return filepath.Join(dir, "ebpf-rca", "kernels"), nil
}

// payload packs this program, the workloads that the plan needs, and for a shell what a
// person needs.
func (o matrixOptions) payload(ctx context.Context) (*matrix.Payload, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	var p matrix.Payload
	if err := p.AddProgram(ctx, matrix.ProgramPath, self); err != nil {
		return nil, err
	}
	p.AddLink(matrix.InitPath, matrix.ProgramPath)
	if err := o.addWorkloads(ctx, &p); err != nil {
		return nil, err
	}
	if o.shell {
		return &p, p.AddShell(ctx)
	}
	guest := guestOptions{retries: o.retries, noKernel: o.noKernel, capture: o.capture}
	p.SetCommand(append([]string{matrix.ProgramPath}, guest.args()...)...)
	return &p, nil
}

func (o matrixOptions) addWorkloads(ctx context.Context, p *matrix.Payload) error {
	run := o.runOptions
	if run.resume != "" { // all of its folders have one plan
		list, err := results.ReadMatrix(run.resume)
		if err != nil {
			return openError(err)
		}
		run.resume = filepath.Join(run.resume, list.Kernels[0].Folder)
	}
	stage, err := run.stage()
	if err != nil {
		return err
	}
	programs, err := run.needed()
	if err != nil {
		return err
	}
	for _, program := range programs {
		if err := p.AddProgram(ctx, filepath.Join(matrix.WorkloadPath, program), filepath.Join(stage.WorkloadDir, program)); err != nil {
			return err
		}
	}
	return nil
}
