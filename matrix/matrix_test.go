// SPDX-License-Identifier: Apache-2.0

package matrix_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// needGuest returns what it takes to boot a guest: QEMU, and a kernel that MATRIX_KERNEL
// names or that 'ebpf-rca matrix' has fetched before. With REQUIRE_QEMU=1 both must be there.
func needGuest(t *testing.T) (matrix.QEMU, matrix.Kernel) {
	t.Helper()
	qemu, err := matrix.FindQEMU(t.Context())
	kernel, kernelErr := anyKernel()
	if err == nil && kernelErr == nil {
		return qemu, kernel
	}
	if os.Getenv("REQUIRE_QEMU") == "1" {
		t.Fatalf("no guest can be booted: %v, %v", err, kernelErr)
	}
	t.Skipf("no guest can be booted: %v, %v", err, kernelErr)
	panic("not reached")
}

func anyKernel() (matrix.Kernel, error) {
	if path := os.Getenv("MATRIX_KERNEL"); path != "" {
		return matrix.OpenKernel(path)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return matrix.Kernel{}, err
	}
	images, _ := filepath.Glob(filepath.Join(dir, "ebpf-rca", "kernels", "*", "vmlinuz"))
	if len(images) == 0 {
		return matrix.Kernel{}, matrix.ErrNoKernel
	}
	return matrix.OpenKernel(images[0])
}

// trial is a matrix of one kernel, whose guest records three runs of each of two analysers.
type trial struct {
	options matrix.Options
	kernel  matrix.Kernel
	dir     string
	notes   []string
}

func newTrial(t *testing.T, fate ...string) *trial {
	qemu, kernel := needGuest(t)
	self, err := os.Executable()
	require.NoError(t, err)
	var payload matrix.Payload
	require.NoError(t, payload.AddProgram(t.Context(), matrix.ProgramPath, self))
	payload.AddLink(matrix.InitPath, matrix.ProgramPath)
	payload.SetCommand(append([]string{matrix.ProgramPath, playArg}, fate...)...)
	tr := &trial{kernel: kernel, dir: t.TempDir()}
	tr.options = matrix.Options{
		QEMU: qemu, Payload: &payload, Accel: matrix.TCG, Silence: 2 * time.Minute,
		Folder:   func(int) *results.Store { return tr.store(t) },
		Progress: func(e matrix.Event) { tr.notes = append(tr.notes, e.Note) },
	}
	return tr
}

func (tr *trial) store(t *testing.T) *results.Store {
	plan, err := results.NewPlan(results.PlanOptions{
		RunID: "r",
		Questions: []results.Question{{
			Scenario: "s", Variants: []contention.Variant{contention.ControlVariant}, Doses: []contention.Dose{{}},
		}},
		Count: 3, Seed: 1, Analyzers: []string{"rca", "random"},
	})
	require.NoError(t, err)
	store, err := results.Create(tr.dir, plan, results.Env{}, results.StoreOptions{})
	require.NoError(t, err)
	return store
}

func (tr *trial) run(t *testing.T, ctx context.Context) (matrix.Outcome, []results.Record, error) {
	outcomes, err := matrix.Run(ctx, []matrix.Kernel{tr.kernel}, tr.options)
	folder, openErr := results.Open(tr.dir)
	require.NoError(t, openErr)
	assert.Empty(t, emulatorsOf(t), "nothing is left of a guest")
	return outcomes[0], folder.Records, err
}

// emulatorsOf are this process's children that emulate.
func emulatorsOf(t *testing.T) []string {
	stats, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	var found []string
	for _, name := range stats {
		for pid := range strings.FieldsSeq(string(read(name))) {
			if strings.HasPrefix(string(read("/proc/"+pid+"/comm")), "qemu") {
				found = append(found, pid)
			}
		}
	}
	return found
}

func verdicts(records []results.Record) []results.Verdict {
	var list []results.Verdict
	for _, r := range records {
		list = append(list, r.Verdict)
	}
	return list
}

const reject = results.CorrectReject

func TestMatrixPlaysAll(t *testing.T) {
	tr := newTrial(t, "none", "", "")
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.NoError(t, outcome.Err)
	assert.Equal(t, 1, outcome.Boots)
	assert.Empty(t, outcome.Deaths)
	assert.Equal(t, []results.Verdict{reject, reject, reject, reject, reject, reject}, verdicts(records))
	folder, err := results.Open(tr.dir)
	require.NoError(t, err)
	assert.Equal(t, tr.kernel.Release, folder.Env.KernelRelease)
	assert.Equal(t, "tcg", folder.Env.Accel)
	assert.Equal(t, "tsc", folder.Env.ClockSource)
	assert.Equal(t, tr.options.QEMU.Version, folder.Env.QEMUVersion)
	assert.FileExists(t, filepath.Join(tr.dir, "ledgers", "2.json"))
	assert.FileExists(t, filepath.Join(tr.dir, "console-1.log"))
}

// A run in which the guest dies is played again, once, and both is recorded.
func TestMatrixGoesOnAfterAPanic(t *testing.T) {
	tr := newTrial(t, "panic", "1", "once")
	// The first guest leaves the records of run 0, so the second knows that it is one.
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.NoError(t, outcome.Err)
	assert.Equal(t, 2, outcome.Boots)
	require.Len(t, outcome.Deaths, 1)
	assert.Contains(t, outcome.Deaths[0], "sysrq triggered crash")
	assert.Equal(t, []results.Verdict{reject, reject, reject, reject, reject, reject}, verdicts(records))
	assert.Empty(t, records[0].Dropped)
	require.Len(t, records[2].Dropped, 1)
	assert.Contains(t, records[2].Dropped[0], "Kernel panic")
}

func TestMatrixRecordsWhatPanicsTwice(t *testing.T) {
	tr := newTrial(t, "panic", "1", "always")
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.NoError(t, outcome.Err)
	assert.Equal(t, 3, outcome.Boots)
	assert.Equal(t, []results.Verdict{reject, reject, results.Infra, results.Infra, reject, reject}, verdicts(records))
	assert.Contains(t, records[2].Reason, "Kernel panic")
}

func TestMatrixEndsAGuestThatHangs(t *testing.T) {
	tr := newTrial(t, "hang", "0", "always")
	tr.options.Silence = 5 * time.Second
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.NoError(t, outcome.Err)
	assert.Equal(t, []results.Verdict{results.Timeout, results.Timeout, reject, reject, reject, reject}, verdicts(records))
	assert.Contains(t, records[0].Reason, "nothing was heard of it for 5s")
}

func TestMatrixHearsTheKernelComplain(t *testing.T) {
	tr := newTrial(t, "complaint", "0", "once")
	outcome, _, err := tr.run(t, t.Context())
	require.NoError(t, err)
	assert.NoError(t, outcome.Err)
	assert.Empty(t, outcome.Deaths)
}

// A kernel that does not come up is given up, and nothing of its plan passes for played.
func TestMatrixGivesUp(t *testing.T) {
	tr := newTrial(t, "none", "", "")
	tr.options.Append = "rdinit=/nonexistent"
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, outcome.Err, matrix.ErrUntestable)
	assert.ErrorContains(t, outcome.Err, "did not boot")
	assert.ErrorContains(t, outcome.Err, "Kernel panic")
	assert.Equal(t, 3, outcome.Boots)
	for _, r := range records {
		assert.Equal(t, results.Lost, r.Verdict)
	}
}

func TestMatrixGivesUpACommandThatFails(t *testing.T) {
	tr := newTrial(t, "exit", "0", "always")
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, outcome.Err, matrix.ErrUntestable)
	assert.ErrorContains(t, outcome.Err, "code 7: no more of this")
	assert.Equal(t, results.Lost, records[0].Verdict)
}

func TestMatrixIsInterrupted(t *testing.T) {
	tr := newTrial(t, "hang", "1", "always")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tr.options.Progress = func(e matrix.Event) {
		if e.Run != nil && e.Run.Index == 1 {
			cancel()
		}
	}
	_, records, err := tr.run(t, ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []results.Verdict{reject, reject, results.Lost, results.Lost, results.Lost, results.Lost}, verdicts(records))
}

// What cannot be written down ends the guest.
func TestMatrixStopsWhenNothingCanBeKept(t *testing.T) {
	tr := newTrial(t, "none", "", "")
	folder := tr.options.Folder
	tr.options.Folder = func(n int) *results.Store {
		store := folder(n)
		require.NoError(t, store.Close())
		return store
	}
	_, records, err := tr.run(t, t.Context())
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Equal(t, results.Lost, records[0].Verdict)
}

// KVM that is there but does not run guests is found out, and told.
func TestMatrixFallsBack(t *testing.T) {
	if !matrix.HasKVM() {
		t.Skip("there is no KVM to fail")
	}
	tr := newTrial(t, "none", "", "")
	tr.options.Accel = ""
	outcome, records, err := tr.run(t, t.Context())
	require.NoError(t, err)
	assert.Equal(t, reject, records[0].Verdict)
	assert.Contains(t, []matrix.Accel{matrix.KVM, matrix.TCG}, outcome.Accel)
	told := strings.Contains(strings.Join(tr.notes, "\n"), "KVM is here")
	assert.Equal(t, outcome.Accel == matrix.TCG, told)
}

// Killed as it may be, a matrix leaves no guest.
func TestGuestDiesWithItsHost(t *testing.T) {
	if os.Getenv("MATRIX_TO_BE_KILLED") == "1" {
		tr := newTrial(t, "hang", "0", "always")
		tr.options.Progress = func(e matrix.Event) {
			if e.Run != nil {
				os.Stdout.WriteString("playing\n")
			}
		}
		_, _, _ = tr.run(t, t.Context())
		return
	}
	needGuest(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run", "^TestGuestDiesWithItsHost$")
	cmd.Env = append(os.Environ(), "MATRIX_TO_BE_KILLED=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	word := make([]byte, len("playing\n"))
	_, err = out.Read(word)
	require.NoError(t, err)
	guests := childrenOf(cmd.Process.Pid)
	require.NotEmpty(t, guests)
	names, _ := filepath.Glob(filepath.Join("/proc", guests[0], "task", "*", "comm"))
	var threads string
	for _, name := range names {
		threads += string(read(name))
	}
	assert.Contains(t, threads, "CPU", "by this name the host's attention is measured")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool {
		for _, pid := range guests {
			if state := strings.Fields(string(read("/proc/" + pid + "/stat"))); len(state) > 2 && state[2] != "Z" {
				return false
			}
		}
		return true
	}, 10*time.Second, 20*time.Millisecond)
}

func childrenOf(pid int) []string {
	names, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "children"))
	var list []string
	for _, name := range names {
		list = append(list, strings.Fields(string(read(name)))...)
	}
	return list
}
