// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// fakes are the workloads that the test binary plays, by name. All but the first
// misbehave.
func fakes() map[string]func() {
	return map[string]func(){
		"good":      func() { fake{}.play() },
		"weak":      func() { fake{hold: 5 * time.Millisecond}.play() },
		"hot-twin":  func() { fake{twinHold: 200 * time.Millisecond}.play() },
		"unlike":    func() { fake{acquisitions: 1000}.play() },
		"unmarked":  func() { fake{change: func(l *ledger.Ledger) { l.Threads[1].Culprit = false }}.play() },
		"unstopped": func() { fake{change: func(l *ledger.Ledger) { l.Stop = 0 }}.play() },
		"dropping":  func() { fake{change: func(l *ledger.Ledger) { l.Threads[0].Dropped = 7 }}.play() },
		"delayed":   func() { fake{change: func(l *ledger.Ledger) { l.Threads[0].RunDelay = 300 * time.Millisecond }}.play() },
		"starved":   func() { fake{change: starve}.play() },
		"torn":      func() { fake{cut: 8*24 - 1}.play() },
		"empty":     func() { fake{cut: 1 << 30}.play() },
		"mute":      func() { hang() },
		"deaf":      func() { fmt.Println("ready"); hang() },
		"lingering": func() { fake{last: hang}.play() },
		"failing":   func() { fake{last: func() { fmt.Fprintln(os.Stderr, "no join"); exit(1) }}.play() },
		"stubborn":  func() { stay() },
		"early":     func() { fmt.Fprintln(os.Stderr, "cannot map"); exit(3) },
		"killed":    func() { fmt.Println("ready"); _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
		"parent":    func() { fake{change: leaveChild}.play() },
		"busy":      func() { fake{last: burn}.play() },
		"idle":      func() { fake{change: func(l *ledger.Ledger) { l.Threads[0].Operations = 0 }}.play() },
		"noise":     makeNoise,
		"harness":   beHarness,
	}
}

// fake is a workload that writes down a second in which the second thread holds a
// lock and the first waits for it.
type fake struct {
	hold, twinHold time.Duration // 500 ms and 10 ms
	acquisitions   uint64        // of the twin; 100
	change         func(*ledger.Ledger)
	cut            int // bytes that the ledger lacks
	last           func()
}

func (f fake) play() {
	if env := os.Environ(); len(env) > 0 {
		fmt.Fprintln(os.Stderr, "the environment tells of", env[0])
		exit(4)
	}
	fmt.Println("ready")
	if line, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil || line != "go\n" {
		exit(5)
	}
	if err := f.write(argument("ledger")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(6)
	}
	fmt.Println("done")
	if f.last != nil {
		f.last()
	}
}

func (f fake) write(path string) error {
	l := f.ledger(argument("variant"))
	if f.change != nil {
		f.change(l)
	}
	var b bytes.Buffer
	if err := ledger.Write(&b, l, 8); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes()[:max(0, b.Len()-f.cut)], 0o600)
}

const (
	victimTID  = 51
	culpritTID = 52
	fakeStart  = 5 * time.Second
	fakeGo     = 10 * time.Second
)

func (f fake) ledger(variant string) *ledger.Ledger {
	length, acquisitions := max(f.hold, 1), uint64(100)
	if f.hold == 0 {
		length = 500 * time.Millisecond
	}
	fault := variant == string(contention.FaultVariant)
	if !fault {
		length, acquisitions = max(f.twinHold, 10*time.Millisecond), max(f.acquisitions, 110)
	}
	begin := fakeGo + 100*time.Millisecond
	victim := thread(victimTID, wait(0, begin, begin+length))
	victim.Start, victim.Decoy = fakeStart, "longest wait"
	victim.Operations = 1000
	holder := thread(culpritTID, hold(0, begin, begin+length))
	holder.Start, holder.PID = fakeStart, os.Getpid()
	holder.Culprit, holder.WouldBeCulprit = fault, variant == string(contention.TwinVariant)
	holder.Acquisitions = acquisitions
	return &ledger.Ledger{
		Go: fakeGo, Stop: fakeGo + time.Second,
		Resources: []ledger.Resource{lock(0x10)},
		Threads:   []ledger.Thread{victim, holder},
	}
}

// starve has both threads lack a CPU for most of the time, of which much is waiting.
func starve(l *ledger.Ledger) {
	for i := range l.Threads {
		l.Threads[i].RunDelay = 600 * time.Millisecond
	}
}

// argument returns the value of --name=value.
func argument(name string) string {
	for _, a := range os.Args {
		if v, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			return v
		}
	}
	return ""
}

// hang ends when standard input closes, and stay never.
func hang() {
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func stay() {
	for {
		time.Sleep(time.Hour)
	}
}

// makeNoise is the noise that is played beside another fake: it goes on until it is
// stopped, but for seven threads, which end at once.
func makeNoise() {
	fmt.Println("ready")
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if line != "go\n" || argument("variant") != string(contention.ControlVariant) {
		exit(9)
	}
	if argument("contenders") == "7" {
		exit(1)
	}
	hang()
	exit(3)
}

// exit ends the process at once; the race detector would keep it for a second.
func exit(code int) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
}

// burn takes a CPU time that can be measured.
func burn() {
	for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
	}
}

// leaveChild starts a process that outlives the workload and gives its pid away as
// the culprit's.
func leaveChild(l *ledger.Ledger) {
	child := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), "stubborn"))
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(7)
	}
	l.Threads[1].PID = child.Process.Pid
}

// beHarness starts a workload that hangs, prints its pid and hangs.
func beHarness() {
	w, err := startWorkload(filepath.Join(filepath.Dir(os.Args[0]), "stubborn"), nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(8)
	}
	fmt.Println(w.PID())
	stay()
}

// stageOfFakes is where all fakes can be played, with short deadlines.
func stageOfFakes(t *testing.T) Stage {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for name := range fakes() {
		require.NoError(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	return Stage{WorkloadDir: dir, Ready: 10 * time.Second, Margin: 10 * time.Second}
}

// fakeScenario is answered by the culprit of the fakes.
func fakeScenario(workload string) scenarios.Scenario {
	return scenarios.Scenario{
		Name:      "mutex-" + workload,
		Workload:  workload,
		Needs:     scenarios.Needs{Kernel: "5.8", CPUs: 1},
		Class:     contention.LockHolder,
		Culprits:  1,
		Functions: []string{"hold"},
		Floor:     100 * time.Millisecond,
	}
}

// fakeObserver observes nothing and knows what was asked of it.
type fakeObserver struct {
	trace     contention.Trace
	attachErr error
	finishErr error
	// block has it wait, before the error, until its context ends.
	blockAttach, blockFinish bool
	// lateAttach has it attach when its context has ended.
	lateAttach bool

	mu      sync.Mutex
	pids    []int
	windows []contention.Window
	closed  int
}

func (o *fakeObserver) Attach(ctx context.Context, pid int) (Observation, error) {
	o.mu.Lock()
	o.pids = append(o.pids, pid)
	o.mu.Unlock()
	if o.blockAttach {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if o.lateAttach {
		<-ctx.Done()
	}
	if o.attachErr != nil {
		return nil, o.attachErr
	}
	return &fakeObservation{o}, nil
}

type fakeObservation struct{ *fakeObserver }

func (o *fakeObservation) Finish(ctx context.Context, w contention.Window) (*contention.Trace, error) {
	o.mu.Lock()
	o.windows = append(o.windows, w)
	o.mu.Unlock()
	if o.blockFinish {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if o.finishErr != nil {
		return nil, o.finishErr
	}
	trace := o.trace
	trace.Window = w
	return &trace, nil
}

func (o *fakeObservation) Cost() results.Overhead {
	return results.Overhead{Events: 10, CPUShare: 0.5, NsPerEvent: map[string]float64{"program": 300}}
}

func (o *fakeObservation) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed++
	return nil
}

// memorySink keeps everything in memory, or nothing if it is full.
type memorySink struct {
	full    error
	records []results.Record
	files   map[string][]byte
}

func (s *memorySink) Append(r results.Record) error {
	if s.full != nil {
		return s.full
	}
	s.records = append(s.records, r)
	return nil
}

func (s *memorySink) PutFile(name string, data []byte) error {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[name] = data
	return s.full
}

// requireNoChildren fails if this process has a child left, a dead one included.
func requireNoChildren(t *testing.T) {
	t.Helper()
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	require.ErrorIs(t, err, syscall.ECHILD, "a child is left")
}

// requireGone polls until a process that is not our child is gone or dead.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return os.IsNotExist(err)
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		return bytes.HasPrefix(rest, []byte("Z")) || bytes.HasPrefix(rest, []byte("X"))
	}, 10*time.Second, 5*time.Millisecond, "process %d lives", pid)
}

func readPID(t *testing.T, r io.Reader) int {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	return pid
}
