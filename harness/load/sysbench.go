// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/child"
)

// sysbench is its test "threads": threads that yield the CPU while they have one of a few
// mutexes.
type sysbench struct{}

func (sysbench) Name() string { return "sysbench-threads" }

func (sysbench) Open(context.Context) (Source, error) {
	path, err := exec.LookPath("sysbench")
	if err != nil {
		return nil, fmt.Errorf("%w: sysbench is not installed", harness.ErrAbsent)
	}
	return sysbenchSource{path}, nil
}

type sysbenchSource struct{ path string }

func (sysbenchSource) Few() uint64  { return 200 }
func (sysbenchSource) Close() error { return nil }

// Start has a shell wait that then becomes sysbench, so that it can be watched before.
func (s sysbenchSource) Start(_ context.Context, units uint64) (Run, error) {
	cmd := exec.Command("/bin/sh", "-c", `read -r go && exec "$@"`, "sh", s.path,
		"threads", "--threads=4", "--time=0", "--percentile=99", "--events="+strconv.FormatUint(units, 10), "run")
	r := &sysbenchRun{}
	cmd.Stdout = &r.said
	var err error
	if r.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start sysbench: %w", err)
	}
	if r.child, err = child.Start(cmd); err != nil {
		return nil, err
	}
	return r, nil
}

type sysbenchRun struct {
	child *child.Child
	stdin io.WriteCloser
	said  bytes.Buffer // once the child has ended
}

func (r *sysbenchRun) PID() int { return r.child.PID() }

// Do counts all that sysbench does, its start included.
func (r *sysbenchRun) Do(ctx context.Context, counted func()) (Took, error) {
	stop := context.AfterFunc(ctx, r.child.Kill)
	defer stop()
	counted()
	_, err := io.WriteString(r.stdin, "go\n")
	if err == nil {
		err = r.child.Wait()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return Took{}, fmt.Errorf("do sysbench: %w", err)
	}
	took, err := parseSysbench(r.said.Bytes())
	if err != nil {
		return Took{}, fmt.Errorf("read what sysbench says: %w", err)
	}
	took.CPU = r.child.CPU()
	return took, nil
}

func (r *sysbenchRun) Close() {
	_ = r.stdin.Close()
	r.child.Kill()
}

var (
	sysbenchTotal = regexp.MustCompile(`(?m)^ +total time: +(\d+\.\d+)s$`)
	sysbenchP99   = regexp.MustCompile(`(?m)^ +99th percentile: +(\d+\.\d+)$`)
)

// parseSysbench reads the elapsed time and the percentile.
func parseSysbench(text []byte) (Took, error) {
	wall, err := timeIn(text, sysbenchTotal, time.Second)
	if err != nil {
		return Took{}, fmt.Errorf("total time: %w", err)
	}
	p99, err := timeIn(text, sysbenchP99, time.Millisecond)
	if err != nil {
		return Took{}, fmt.Errorf("percentile: %w", err)
	}
	return Took{Wall: wall, P99: p99}, nil
}

// timeIn reads the number that an expression finds, in a unit.
func timeIn(text []byte, expression *regexp.Regexp, unit time.Duration) (time.Duration, error) {
	found := expression.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("there is none in %q", text[max(0, len(text)-200):])
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		return 0, err
	}
	if n *= float64(unit); n >= math.MaxInt64 {
		return 0, fmt.Errorf("%s is out of range", found[1])
	}
	return time.Duration(math.Round(n)), nil
}
