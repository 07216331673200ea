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
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/harness/child"
	"github.com/os2026/ebpf-rca/harness/ledger"
)

// ErrTimeout says that a workload did not do in time what it was to do.
var ErrTimeout = errors.New("timed out")

// leaveTime is what a workload has to leave of its own accord.
const leaveTime = 2 * time.Second

// workload is a program of the catalogue being played, as scenarios describes it.
type workload struct {
	*child.Child
	stdin  io.WriteCloser
	stdout *os.File
	lines  chan string // of standard output; closed at its end
	ledger *os.File    // in memory
	read   sync.WaitGroup
}

// startWorkload starts a program. Its only environment is an empty one.
func startWorkload(path string, args []string) (*workload, error) {
	w := &workload{lines: make(chan string)}
	var err error
	if w.ledger, err = memoryFile(); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, append(args, "--ledger=/dev/fd/3")...)
	cmd.Env = []string{}
	cmd.ExtraFiles = []*os.File{w.ledger}
	var childStdout *os.File
	if w.stdout, childStdout, err = os.Pipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("start workload: %w", err), w.ledger.Close())
	}
	defer childStdout.Close()
	cmd.Stdout = childStdout
	if w.stdin, err = cmd.StdinPipe(); err == nil {
		w.Child, err = child.Start(cmd)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start workload: %w", err), w.stdout.Close(), w.ledger.Close())
	}
	w.read.Go(w.readLines)
	return w, nil
}

func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make memory for the ledger: %w", err)
	}
	return os.NewFile(uintptr(fd), "ledger"), nil
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
	case <-w.Ended():
		if err := w.Wait(); err != nil {
			return fmt.Errorf("wait for the workload: %w", err)
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
	case <-w.Ended():
	case <-time.After(leaveTime):
		return err
	}
	how := w.Wait()
	if how == nil {
		return w.Because(err)
	}
	return fmt.Errorf("%w: it ended with %w", err, how)
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

// stop ends the program, by closing its standard input and then by force, and
// returns when nothing is left of it. It may be called twice.
func (w *workload) stop() {
	_ = w.stdin.Close()
	select {
	case <-w.Ended():
	case <-time.After(leaveTime):
	}
	w.Kill()
	_ = w.stdout.Close()
	for range w.lines { // what it said last is not heard
	}
	w.read.Wait()
	_ = w.ledger.Close()
}
