// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/scenarios"
)

// patience is how long anything may take that takes milliseconds on a machine with
// nothing else to do.
const patience = 20 * time.Second

// binaries is where the workloads are built, once for all tests.
var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "workloads")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var flags = strings.Fields("-O2 -g -fno-optimize-sibling-calls -Wall -Wextra -Werror -pthread -std=gnu11")

// objects are what all workloads share, compiled.
var objects = sync.OnceValues(func() ([]string, error) {
	sources, err := filepath.Glob("workload/lib/*.c")
	if err != nil {
		return nil, err
	}
	args := append([]string{"-c"}, flags...)
	var list []string
	for _, source := range sources {
		source, err := filepath.Abs(source)
		if err != nil {
			return nil, err
		}
		args = append(args, source)
		list = append(list, filepath.Join(binaries, strings.TrimSuffix(filepath.Base(source), ".c")+".o"))
	}
	return list, compile(binaries, args)
})

func compile(dir string, args []string) error {
	cmd := exec.Command("cc", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cc %q: %w\n%s", args, err, out)
	}
	return nil
}

var builds sync.Map // of a workload's name to its build

// build compiles a workload and returns the path of the program.
func build(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(binaries, name)
	once, _ := builds.LoadOrStore(name, sync.OnceValue(func() error {
		shared, err := objects()
		if err != nil {
			return err
		}
		args := append([]string{"-Iworkload/lib", "-o", program, filepath.Join("workload", name+".c")}, flags...)
		return compile("", append(args, shared...))
	}))
	require.NoError(t, once.(func() error)())
	return program
}

// play is a workload being played.
type play struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  *bufio.Scanner
	errors bytes.Buffer
	ledger string
	over   bool
}

// start starts s in a variant and waits until it is ready.
func start(t *testing.T, s scenarios.Scenario, v contention.Variant, seed int, duration time.Duration) *play {
	t.Helper()
	p := &play{t: t, ledger: filepath.Join(t.TempDir(), "ledger")}
	p.cmd = exec.Command(build(t, s.Workload), arguments(s, v, seed, duration, p.ledger)...)
	p.cmd.Stderr = &p.errors
	in, err := p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.in, p.lines = in, bufio.NewScanner(out)
	require.NoError(t, p.cmd.Start())
	deadline := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() {
		deadline.Stop()
		if !p.over {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	p.expect("ready")
	return p
}

func arguments(s scenarios.Scenario, v contention.Variant, seed int, duration time.Duration, ledger string) []string {
	dose := s.Doses[0]
	return []string{
		"--variant=" + string(v),
		fmt.Sprintf("--seed=%d", seed),
		fmt.Sprintf("--hold-ns=%d", dose.Hold.Nanoseconds()),
		fmt.Sprintf("--contenders=%d", dose.Contenders),
		fmt.Sprintf("--duration-ns=%d", duration.Nanoseconds()),
		"--ledger=" + ledger,
	}
}

func (p *play) expect(line string) {
	p.t.Helper()
	if !p.lines.Scan() {
		code := p.exit() // before its standard error is read
		require.Failf(p.t, "no line", "exit code %d instead of %q: %s", code, line, p.errors.String())
	}
	require.Equal(p.t, line, p.lines.Text())
}

func (p *play) letGo() {
	p.t.Helper()
	_, err := io.WriteString(p.in, "go\n")
	require.NoError(p.t, err)
}

// exit waits for the end of the program and returns its exit code.
func (p *play) exit() int {
	_ = p.cmd.Wait()
	p.over = true
	return p.cmd.ProcessState.ExitCode()
}

// whole plays a variant from beginning to end.
func whole(t *testing.T, s scenarios.Scenario, v contention.Variant) *ledger {
	t.Helper()
	p := start(t, s, v, 1, 390*time.Millisecond)
	p.letGo()
	p.expect("done")
	code := p.exit()
	require.Zero(t, code, p.errors.String())
	return readLedger(t, p.ledger)
}

func TestWorkloads(t *testing.T) {
	for _, s := range scenarios.Catalogue() {
		t.Run(s.Name, func(t *testing.T) {
			if s.Family() != "cpu" { // those keep others from a CPU
				t.Parallel()
			}
			if s.Needs.Root && os.Geteuid() != 0 {
				t.Skip("needs root")
			}
			ledgers := map[contention.Variant]*ledger{}
			for _, v := range s.Variants() {
				ledgers[v] = whole(t, s, v)
				checkComplete(t, ledgers[v])
				checkRoles(t, s, v, ledgers[v])
			}
			if !s.Control {
				checkTwin(t, s, ledgers[contention.FaultVariant], ledgers[contention.TwinVariant])
			}
		})
	}
}

func checkComplete(t *testing.T, l *ledger) {
	t.Helper()
	assert.GreaterOrEqual(t, time.Duration(l.Stop-l.Go), 390*time.Millisecond)
	for i, th := range l.threads {
		assert.NotZero(t, th.TID, "w%d", i)
		assert.NotZero(t, th.StartTicks, "w%d", i)
		assert.Zero(t, th.Dropped, "w%d", i)
		assert.NotZero(t, th.Switches, "w%d", i)
		assert.GreaterOrEqual(t, th.RunDelayEnd, th.RunDelayBegin, "w%d", i)
		for _, e := range l.entries[i] {
			require.GreaterOrEqual(t, e.Begin, l.Go-uint64(time.Second))
			require.LessOrEqual(t, e.Begin, max(e.End, l.Stop))
			require.Less(t, e.Resource, l.Resources)
		}
	}
}

func checkRoles(t *testing.T, s scenarios.Scenario, v contention.Variant, l *ledger) {
	t.Helper()
	culprits, wouldBe := 0, 0
	switch v {
	case contention.FaultVariant:
		culprits = s.Culprits
	case contention.TwinVariant:
		wouldBe = s.Culprits
	}
	assert.Len(t, l.flagged(culpritFlag), culprits)
	assert.Len(t, l.flagged(wouldBeCulpritFlag), wouldBe)

	declared, found := map[string]bool{}, map[string]bool{}
	for _, d := range s.Decoys {
		declared[d.Label] = true
	}
	for _, th := range l.threads {
		if label := text(th.Decoy[:]); label != "" {
			found[label] = true
			assert.Zero(t, th.Flags, "a decoy at fault")
		}
	}
	assert.Equal(t, declared, found)

	kinds := map[string]bool{}
	for _, r := range l.resources {
		kinds[text(r.Kind[:])] = true
	}
	for _, k := range s.Kinds {
		assert.Contains(t, kinds, string(k))
	}
}

// checkTwin compares what was done in a fault and in its twin: the same, but for who
// kept the others waiting. The bounds are wide, for the programs share the machine
// with each other here; the harness holds each run to narrow ones.
func checkTwin(t *testing.T, s scenarios.Scenario, fault, twin *ledger) {
	t.Helper()
	assert.Equal(t, fault.flagged(culpritFlag), twin.flagged(wouldBeCulpritFlag))
	assert.InEpsilon(t, fault.acquisitions(), twin.acquisitions(), 0.5)

	if s.Class == contention.CPUStarvation {
		return // a CPU is kept for as long in the twin, at another time
	}
	// A thread that lacks a CPU keeps what it has for longer, whoever it is.
	stuck := s.Class == contention.Deadlock // then to wait is to keep others waiting
	assert.Greater(t, markedShare(fault, stuck), 1.5*markedShare(twin, stuck))
}

// markedShare is how much of the time in which threads kept others waiting is that of the
// threads with the fault in them or, in a twin, of those that would be.
func markedShare(l *ledger, stuck bool) float64 {
	marked := l.kept(func(th ledgerThread) bool { return th.Flags != 0 }, stuck)
	all := l.kept(func(ledgerThread) bool { return true }, stuck)
	return float64(marked) / float64(max(all, 1))
}

// The thread at fault follows from the seed, in the twin as in the fault.
func TestSeedChoosesTheCulprit(t *testing.T) {
	s, _ := scenarios.Find("mutex-hold")
	chosen := map[int]bool{}
	for seed := range 8 {
		fault := start(t, s, contention.FaultVariant, seed, time.Second)
		culprits := readLedger(t, fault.ledger).flagged(culpritFlag)
		twin := start(t, s, contention.TwinVariant, seed, time.Second)
		assert.Equal(t, culprits, readLedger(t, twin.ledger).flagged(wouldBeCulpritFlag))
		require.Len(t, culprits, 1)
		chosen[culprits[0]] = true
	}
	assert.Greater(t, len(chosen), 3, "threads chosen by eight seeds: %v", chosen)
}

// A thread is named by its index alone.
func TestThreadNamesGiveNothingAway(t *testing.T) {
	s, _ := scenarios.Find("futex-shared")
	p := start(t, s, contention.FaultVariant, 3, time.Second)
	for i, th := range readLedger(t, p.ledger).threads {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", th.PID, th.TID))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("w%d\n", i), string(name))
	}
}

// longRun is longer than any test waits for a run to be cut short.
const longRun = 10 * time.Second

// A workload does not outlive what plays it, and neither do its other processes.
func TestWorkloadEndsWithItsPlayer(t *testing.T) {
	closeInput := func(p *play) { require.NoError(t, p.in.Close()) }
	kill := func(p *play) { require.NoError(t, p.cmd.Process.Kill()) }
	for name, c := range map[string]struct {
		midway bool
		end    func(*play)
		code   int
	}{
		"input closed when ready": {false, closeInput, 3},
		"input closed midway":     {true, closeInput, 3},
		"killed when ready":       {false, kill, -1},
		"killed midway":           {true, kill, -1},
	} {
		for _, scenario := range []string{"mutex-hold", "futex-shared", "pipe-slow-reader", "control-idle-pool", "deadlock-processes"} {
			t.Run(name+"/"+scenario, func(t *testing.T) {
				s, _ := scenarios.Find(scenario)
				p := start(t, s, s.Variants()[0], 1, longRun)
				if c.midway {
					p.letGo()
					awaitWork(t, p.ledger)
				}
				begin := time.Now()
				c.end(p)
				assert.Equal(t, c.code, p.exit())
				l := readLedger(t, p.ledger)
				for _, th := range l.threads {
					awaitEnd(t, int(th.PID))
				}
				assert.Less(t, time.Since(begin), longRun/2)
				assert.Zero(t, l.Stop)
			})
		}
	}
}

// Processes that are no part of the workload end with it all the same, however it ends.
func TestNeighboursEndWithTheWorkload(t *testing.T) {
	s, _ := scenarios.Find("noise-processes")
	program := build(t, s.Workload)
	for name, end := range map[string]func(*play){
		"input closed": func(p *play) { require.NoError(t, p.in.Close()) },
		"killed":       func(p *play) { require.NoError(t, p.cmd.Process.Kill()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, s, contention.FaultVariant, 1, longRun)
			assert.Greater(t, running(t, program), 1)
			end(p)
			p.exit()
			require.Eventually(t, func() bool { return running(t, program) == 0 }, patience, 5*time.Millisecond)
		})
	}
}

// running counts the processes of a program.
func running(t *testing.T, program string) int {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(t, err)
	n := 0
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == program {
			n++
		}
	}
	return n
}

func awaitWork(t *testing.T, path string) {
	t.Helper()
	require.Eventually(t, func() bool {
		l := readLedger(t, path)
		for i := range l.threads {
			if len(l.entries[i]) > 10 {
				return true
			}
		}
		return false
	}, patience, 5*time.Millisecond)
}

// awaitEnd waits until a process is gone, or waits only to be reaped by whoever has
// inherited it.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(rest, "Z")
	}, patience, time.Millisecond, "process %d lives", pid)
}

func TestWorkloadRefusesWhatItCannotPlay(t *testing.T) {
	fault, _ := scenarios.Find("mutex-hold")
	control, _ := scenarios.Find("control-quiet")
	for name, c := range map[string]struct {
		scenario scenarios.Scenario
		variant  contention.Variant
		spoil    func([]string) []string
		want     string
	}{
		"fault as control":  {fault, contention.ControlVariant, nil, "no such variant"},
		"control as fault":  {control, contention.FaultVariant, nil, "no such variant"},
		"variant unknown":   {fault, "both", nil, "--variant=both: not a value"},
		"option missing":    {fault, contention.FaultVariant, func(a []string) []string { return a[1:] }, "--variant is missing"},
		"number malformed":  {fault, contention.FaultVariant, replace("--seed=", "--seed=-1"), "--seed=-1: not a value"},
		"argument unknown":  {fault, contention.FaultVariant, func(a []string) []string { return append(a, "x") }, "x: not an option"},
		"hold of no length": {fault, contention.FaultVariant, replace("--hold-ns=", "--hold-ns=0"), "no such dose"},
	} {
		t.Run(name, func(t *testing.T) {
			args := arguments(c.scenario, c.variant, 1, time.Second, filepath.Join(t.TempDir(), "ledger"))
			if c.spoil != nil {
				args = c.spoil(args)
			}
			cmd := exec.Command(build(t, c.scenario.Workload), args...)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Equal(t, 2, cmd.ProcessState.ExitCode())
			assert.Contains(t, string(out), c.want)
		})
	}
}

func replace(prefix, with string) func([]string) []string {
	return func(args []string) []string {
		for i, a := range args {
			if strings.HasPrefix(a, prefix) {
				args[i] = with
			}
		}
		return args
	}
}

// The ledger may be a file that is only a descriptor.
func TestLedgerMayBeInherited(t *testing.T) {
	s, _ := scenarios.Find("mutex-hold")
	path := filepath.Join(t.TempDir(), "ledger")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	defer file.Close()

	cmd := exec.Command(build(t, s.Workload), arguments(s, contention.FaultVariant, 1, 50*time.Millisecond, "/dev/fd/3")...)
	cmd.Stdin = openPipe(t)
	cmd.ExtraFiles = []*os.File{file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "ready\ndone\n", string(out))
	assert.NotZero(t, readLedger(t, path).Stop)
}

// openPipe is a pipe that holds the line "go" and stays open for the test.
func openPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	_, err = io.WriteString(w, "go\n")
	require.NoError(t, err)
	return r
}
