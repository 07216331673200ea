// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/harness/ledger"
)

// ErrTimeout says that a workload did not do in time what it was to do.
var ErrTimeout = errors.New("timed out")

const (
	// leaveTime is what a workload has to leave of its own accord.
	leaveTime = 2 * time.Second
	// lastWords is how much of what a workload prints as errors is kept.
	lastWords = 2048
)

// workload is a program of the catalogue being played, as scenarios describes it.
type workload struct {
	pid    int
	stdin  io.WriteCloser
	stdout *os.File
	lines  chan string // of standard output; closed at its end
	ledger *os.File    // in memory
	stderr *tail

	mu    sync.Mutex
	gone  bool          // it may no longer be killed by its pid
	ended chan struct{} // closed once the process is reaped
	err   error         // how it ended; after ended
	usage *syscall.Rusage
	done  sync.WaitGroup
}

// startWorkload starts a program. Its only environment is an empty one, and it dies
// with the thread that started it, and so with us.
func startWorkload(path string, args []string) (*workload, error) {
	w := &workload{ended: make(chan struct{}), lines: make(chan string), stderr: &tail{limit: lastWords}}
	var err error
	if w.ledger, err = memoryFile(); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, append(args, "--ledger=/dev/fd/3")...)
	cmd.Env = []string{}
	cmd.Stderr = w.stderr
	cmd.ExtraFiles = []*os.File{w.ledger}
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var childStdout *os.File
	if w.stdout, childStdout, err = os.Pipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("start workload: %w", err), w.ledger.Close())
	}
	defer childStdout.Close()
	cmd.Stdout = childStdout
	if w.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("start workload: %w", err), w.stdout.Close(), w.ledger.Close())
	}
	if err := w.start(cmd); err != nil {
		return nil, errors.Join(fmt.Errorf("start workload: %w", err), w.stdout.Close(), w.ledger.Close())
	}
	w.done.Go(w.readLines)
	return w, nil
}

func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make memory for the ledger: %w", err)
	}
	return os.NewFile(uintptr(fd), "ledger"), nil
}

// start starts the program from a thread that stays until it has ended: the kernel
// sends the death signal when that thread ends, not the process.
func (w *workload) start(cmd *exec.Cmd) error {
	started := make(chan error)
	w.done.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			w.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			w.reap(cmd)
		}
	})
	err := <-started
	if err != nil {
		w.done.Wait()
	}
	return err
}

// reap waits for the program's end. What it may have left behind in its process
// group is killed before its pid is given back, while it cannot mean another.
func (w *workload) reap(cmd *exec.Cmd) {
	awaitEnd(w.pid)
	w.mu.Lock()
	_ = unix.Kill(-w.pid, unix.SIGKILL)
	w.gone = true
	w.mu.Unlock()
	w.err = cmd.Wait()
	if cmd.ProcessState != nil {
		w.usage, _ = cmd.ProcessState.SysUsage().(*syscall.Rusage)
	}
	close(w.ended)
}

// awaitEnd returns when a child has ended, and leaves it to be reaped.
func awaitEnd(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func (w *workload) readLines() {
	defer close(w.lines)
	for s := bufio.NewScanner(w.stdout); s.Scan(); {
		w.lines <- s.Text()
	}
}

// say writes one line to the program.
func (w *workload) say(line string) error {
	if _, err := io.WriteString(w.stdin, line+"\n"); err != nil {
		return fmt.Errorf("say %q to the workload: %w", line, w.because(err))
	}
	return nil
}

// hear waits until the program has written a line.
func (w *workload) hear(ctx context.Context, line string, within time.Duration) error {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case got, more := <-w.lines:
			if got == line {
				return nil
			}
			if !more {
				return fmt.Errorf("hear %q from the workload: %w", line, w.because(io.ErrUnexpectedEOF))
			}
		case <-timer.C:
			return fmt.Errorf("hear %q from the workload: %w after %v", line, ErrTimeout, within)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wait waits until the program has ended well.
func (w *workload) wait(ctx context.Context, within time.Duration) error {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-w.ended:
		if w.err != nil {
			return fmt.Errorf("wait for the workload: %w", w.because(w.err))
		}
		return nil
	case <-timer.C:
		return fmt.Errorf("wait for the workload to end: %w after %v", ErrTimeout, within)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// because adds to err how the program ended, if it has, and its last words.
func (w *workload) because(err error) error {
	select {
	case <-w.ended:
	case <-time.After(leaveTime):
		return err
	}
	if w.err != nil && !errors.Is(err, w.err) {
		err = fmt.Errorf("%w: it ended with %w", err, w.err)
	}
	if words := strings.TrimSpace(w.stderr.String()); words != "" {
		err = fmt.Errorf("%w: %s", err, words)
	}
	return err
}

// readLedger reads what the program has written down.
func (w *workload) readLedger() (*ledger.Ledger, error) {
	info, err := w.ledger.Stat()
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	l, err := ledger.Read(io.NewSectionReader(w.ledger, 0, info.Size()))
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	return l, nil
}

// cpuTime is what the ended program and its children used.
func (w *workload) cpuTime() time.Duration {
	if w.usage == nil {
		return 0
	}
	return time.Duration(w.usage.Utime.Nano() + w.usage.Stime.Nano())
}

// stop ends the program, by closing its standard input and then by force, and
// returns when nothing is left of it. It may be called twice.
func (w *workload) stop() {
	_ = w.stdin.Close()
	select {
	case <-w.ended:
	case <-time.After(leaveTime):
		w.kill()
	}
	<-w.ended
	_ = w.stdout.Close()
	for range w.lines { // what it said last is not heard
	}
	w.done.Wait()
	_ = w.ledger.Close()
}

func (w *workload) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gone {
		_ = unix.Kill(-w.pid, unix.SIGKILL)
	}
}

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	limit int
	mu    sync.Mutex
	data  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - t.limit; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
