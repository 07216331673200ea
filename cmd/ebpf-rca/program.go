// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// leaveTime is what a program has to end of its own accord.
	leaveTime = 2 * time.Second
	// leaveLook is how often it is looked whether it has.
	leaveLook = 10 * time.Millisecond
)

// program is one that diagnose has started. It stands before its first instruction
// until release, and dies with this process, however that ends.
type program struct {
	pid      int
	name     string
	cmd      *exec.Cmd
	let      chan bool     // whether it is to run
	letErr   chan error    // what became of that
	ended    chan struct{} // closed once it has ended; stop reaps it
	released bool
}

// startHeldBack starts a program that does not run before release. Its output goes
// to stderr.
func startHeldBack(args []string, stderr io.Writer) (*program, error) {
	cmd := exec.Command(args[0], args[1:]...)
	if cmd.Err != nil {
		return nil, usage(fmt.Errorf("start %q: %w", args[0], cmd.Err))
	}
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.WaitDelay = time.Second
	if !isTerminal(os.Stdin) { // a group of its own may not read the terminal
		cmd.Stdin = os.Stdin
	}
	// A traced program stops as soon as it has taken the place of this one.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Ptrace: true}
	p := &program{name: args[0], cmd: cmd, let: make(chan bool), letErr: make(chan error), ended: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, usage(fmt.Errorf("start %q: %w", args[0], reason(err)))
	}
	return p, nil
}

// reason takes away what os/exec says in front of why a program did not start.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// start starts the program from a thread that stays until it has ended: only that
// thread may let it run, and the kernel sends the death signal when that thread
// ends, not the process.
func (p *program) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := p.cmd.Start(); err != nil {
			started <- err
			return
		}
		p.pid = p.cmd.Process.Pid
		started <- awaitStop(p.pid)
		if <-p.let {
			p.letErr <- syscall.PtraceDetach(p.pid)
		}
		awaitEnd(p.pid)
		close(p.ended)
	}()
	err := <-started
	if err != nil && p.pid != 0 {
		p.stop()
	}
	return err
}

// awaitStop returns when a traced child stands before its first instruction.
func awaitStop(pid int) error {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case !status.Stopped():
			return errors.New("it ended before its first instruction")
		default:
			return nil
		}
	}
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

// release lets the program run.
func (p *program) release() error {
	p.released = true
	p.let <- true
	if err := <-p.letErr; err != nil {
		return fmt.Errorf("let %q run: %w", p.name, err)
	}
	return nil
}

// stop ends the program and what it has started in its process group: they are asked
// to, and two seconds later made to. The program is reaped last, so that its group
// cannot be another's.
func (p *program) stop() {
	if p.released {
		_ = unix.Kill(-p.pid, unix.SIGTERM)
		for end := time.Now().Add(leaveTime); groupRuns(p.pid) && time.Now().Before(end); {
			time.Sleep(leaveLook)
		}
	} else {
		close(p.let)
	}
	_ = unix.Kill(-p.pid, unix.SIGKILL)
	<-p.ended
	_ = p.cmd.Wait() // how it ends is not ours to judge
}

// groupRuns reports whether anything of a process group still runs.
func groupRuns(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		fields := statFields(string(text))
		if !hasEnded(fields) && len(fields) > 2 && fields[2] == strconv.Itoa(group) {
			return true
		}
	}
	return false
}
