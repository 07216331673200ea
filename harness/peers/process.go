// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/child"
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
	*child.Child
	stdout output
}

// startProcess starts a program with an environment beside ours.
func startProcess(cmd *exec.Cmd, env ...string) (*process, error) {
	p := &process{}
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout = &p.stdout
	var err error
	if p.Child, err = child.Start(cmd); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) pid() int { return p.PID() }

// errNeverWatched says that the tool is not for this kernel.
var errNeverWatched = fmt.Errorf("%w: it ended before it watched", harness.ErrAbsent)

const pollEvery = 5 * time.Millisecond

// await waits until the tool watches, by what ready says.
func (p *process) await(ctx context.Context, ready func() bool) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !ready() {
		select {
		case <-p.Ended():
			return p.Because(errNeverWatched)
		case <-ctx.Done():
			return p.Because(ctx.Err())
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
	p.Signal(syscall.SIGINT)
	select {
	case <-p.Ended():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) finish(ctx context.Context) ([]byte, error) {
	if err := p.interrupt(ctx); err != nil {
		return nil, err
	}
	if err := p.Wait(); err != nil {
		return nil, err
	}
	return p.stdout.bytes(), nil
}

// close kills what is left of the tool and its children.
func (p *process) close() error {
	p.Kill()
	return nil
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
