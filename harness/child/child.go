// SPDX-License-Identifier: Apache-2.0

// Package child keeps programs that this process has started. None outlives it, however
// it ends, and of one that has ended nothing is left in its process group.
package child

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lastWords is how much of what a program prints as errors is kept.
const lastWords = 2048

// Child is a program that was started.
type Child struct {
	pid    int
	cmd    *exec.Cmd
	stderr tail
	ended  chan struct{} // closed once the program is reaped
	err    error         // how it ended; after ended

	mu   sync.Mutex
	gone bool // its pid may be another's
}

// Start starts a program in a process group of its own. The end of what it prints as
// errors is kept for its error.
func Start(cmd *exec.Cmd) (*Child, error) {
	c := &Child{cmd: cmd, ended: make(chan struct{})}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.Stderr = &c.stderr
	cmd.WaitDelay = time.Second
	started := make(chan error)
	go c.keep(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return c, nil
}

// keep starts the program from a thread that stays until it has ended: the kernel sends
// the death signal when that thread ends, not the process. What the program may have left
// behind in its group is killed before its pid is given back, while it cannot mean another.
func (c *Child) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	if err == nil {
		c.pid = c.cmd.Process.Pid
	}
	started <- err
	if err != nil {
		return
	}
	awaitEnd(c.pid)
	c.mu.Lock()
	_ = unix.Kill(-c.pid, unix.SIGKILL)
	c.gone = true
	c.mu.Unlock()
	c.err = c.cmd.Wait()
	close(c.ended)
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

// PID is that of the program, and of its group.
func (c *Child) PID() int { return c.pid }

// Signal sends a signal to the program, not to its group. It is lost on one that has ended.
func (c *Child) Signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = unix.Kill(c.pid, s)
	}
}

// Kill kills the program and its group, and returns when nothing is left of them. It may
// be called twice, and after the end.
func (c *Child) Kill() {
	c.mu.Lock()
	if !c.gone {
		_ = unix.Kill(-c.pid, unix.SIGKILL)
	}
	c.mu.Unlock()
	<-c.ended
}

// Ended is closed when the program has.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Wait waits for the end of the program and says how it ended, with its last words.
func (c *Child) Wait() error {
	<-c.ended
	return c.Because(c.err)
}

// CPU is what the ended program and the children that it waited for used.
func (c *Child) CPU() time.Duration {
	<-c.ended
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// Because adds the program's last words to an error.
func (c *Child) Because(err error) error {
	words := strings.Join(strings.Fields(c.stderr.String()), " ")
	if err == nil || words == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, words)
}

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - lastWords; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
