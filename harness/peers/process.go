// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/os2026/ebpf-rca/harness"
)

// startFunc starts a tool on a target and returns once it watches.
type startFunc func(ctx context.Context, path string, t target) (session, error)

// session is a tool that watches. finish, called once, ends the watching and returns what
// the tool printed; close ends the tool in any case and may be called twice.
type session interface {
	pid() int
	finish(context.Context) ([]byte, error)
	close() error
}

// process is a tool that runs until it is interrupted and then prints what it saw.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr output
	ended          chan struct{} // closed once the process is reaped
	err            error         // how it ended; after ended
}

// startProcess starts a program with an environment beside ours. It dies with us: the kernel
// sends the death signal when the thread that started it ends, so that one stays.
func startProcess(cmd *exec.Cmd, env ...string) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &p.stdout, &p.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// errNeverWatched says that the tool is not for this kernel.
var errNeverWatched = fmt.Errorf("%w: it ended before it watched", harness.ErrAbsent)

const pollEvery = 5 * time.Millisecond

// await waits until the tool watches, by what ready says.
func (p *process) await(ctx context.Context, ready func() bool) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !ready() {
		select {
		case <-p.ended:
			return p.because(errNeverWatched)
		case <-ctx.Done():
			return p.because(ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

// says reports whether the tool has printed a line.
func (p *process) says(line string) bool {
	return slices.Contains(strings.Split(string(p.stdout.bytes()), "\n"), line)
}

// interrupt has the tool end and waits until it has.
func (p *process) interrupt(ctx context.Context) error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return p.because(err)
	}
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) finish(ctx context.Context) ([]byte, error) {
	if err := p.interrupt(ctx); err != nil {
		return nil, err
	}
	if p.err != nil {
		return nil, p.because(p.err)
	}
	return p.stdout.bytes(), nil
}

// close kills what is left of the tool and its children.
func (p *process) close() error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill %s: %w", p.cmd.Path, err)
	}
	return nil
}

// lastWords is how much of what a tool prints as errors is told.
const lastWords = 500

// because adds the tool's last words to an error.
func (p *process) because(err error) error {
	words := strings.Join(strings.Fields(string(p.stderr.bytes())), " ")
	if words == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, words[max(0, len(words)-lastWords):])
}

// maxOutput bounds what is kept of what a tool prints.
const maxOutput = 64 << 20

// output keeps what is written to it and may be read meanwhile.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.data.Len()+len(b) > maxOutput {
		return 0, io.ErrShortWrite
	}
	return o.data.Write(b)
}

func (o *output) bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.data.Bytes())
}
