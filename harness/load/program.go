// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/harness/child"
)

// program is a load of ours; lib/load.h tells how it is spoken to.
type program struct {
	name, dir string
	few       uint64
}

func (p program) Name() string { return p.name }

func (p program) path() string { return filepath.Join(p.dir, p.name) }

func (p program) Open(context.Context) (Source, error) {
	if _, err := exec.LookPath(p.path()); err != nil {
		return nil, fmt.Errorf("%w: %w; 'make build' makes it", harness.ErrAbsent, err)
	}
	return p, nil
}

func (p program) Few() uint64  { return p.few }
func (p program) Close() error { return nil }

// warmUp is the part of the work that is done before what counts. In it an observer
// learns what it meets for the first time.
const warmUp = 3

func (p program) Start(ctx context.Context, units uint64) (Run, error) {
	r, err := p.start(units)
	if err != nil {
		return nil, err
	}
	if r.watched, err = r.ready(ctx); err != nil {
		r.Close()
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	return r, nil
}

func (p program) start(units uint64) (*programRun, error) {
	cmd := exec.Command(p.path(), strconv.FormatUint(units/warmUp, 10), strconv.FormatUint(units, 10))
	cmd.Env = []string{}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	// Not StdoutPipe: the end of the program would close it before it is read.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", p.name, err), stdin.Close())
	}
	defer write.Close()
	cmd.Stdout = write
	c, err := child.Start(cmd)
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), read.Close())
	}
	return &programRun{name: p.name, child: c, stdin: stdin, stdout: read, lines: bufio.NewReader(read)}, nil
}

type programRun struct {
	name    string
	child   *child.Child
	watched int
	stdin   io.WriteCloser
	stdout  *os.File
	lines   *bufio.Reader
}

func (r *programRun) PID() int { return r.watched }

// hear reads the rest of a line that begins with a word.
func (r *programRun) hear(ctx context.Context, word string) (string, error) {
	stop := context.AfterFunc(ctx, r.child.Kill)
	defer stop()
	line, err := r.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("hear %q: %w", word, r.why(ctx, err))
	}
	first, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	if first != word {
		return "", fmt.Errorf("hear %q: it says %q", word, line)
	}
	return rest, nil
}

// why tells why the program does not go on.
func (r *programRun) why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.child.Kill()
	if ended := r.child.Wait(); ended != nil {
		return fmt.Errorf("%w: %w", err, ended)
	}
	return err
}

func (r *programRun) ready(ctx context.Context) (pid int, err error) {
	text, err := r.hear(ctx, "ready")
	if err != nil {
		return 0, err
	}
	if pid, err = strconv.Atoi(text); err != nil || pid <= 0 {
		return 0, fmt.Errorf("%q is no process to watch", text)
	}
	return pid, nil
}

func (r *programRun) Do(ctx context.Context, counted func()) (Took, error) {
	took, err := r.do(ctx, counted)
	if err != nil {
		return Took{}, fmt.Errorf("do %s: %w", r.name, err)
	}
	return took, nil
}

func (r *programRun) do(ctx context.Context, counted func()) (Took, error) {
	if _, err := io.WriteString(r.stdin, "go\n"); err != nil {
		return Took{}, r.why(ctx, err)
	}
	if _, err := r.hear(ctx, "begin"); err != nil {
		return Took{}, err
	}
	counted()
	text, err := r.hear(ctx, "end")
	if err != nil {
		return Took{}, err
	}
	return parseTook(text)
}

// parseTook reads what a program says at its end.
func parseTook(text string) (Took, error) {
	var t Took
	for name, field := range map[string]*time.Duration{"cpu_ns": &t.CPU, "wall_ns": &t.Wall, "p99_ns": &t.P99} {
		n, err := valueOf(text, name)
		if err != nil {
			return Took{}, err
		}
		*field = time.Duration(n)
	}
	if t.CPU == 0 || t.Wall == 0 {
		return Took{}, fmt.Errorf("%q: it took no time", text)
	}
	return t, nil
}

// valueOf finds NAME=N among words.
func valueOf(text, name string) (int64, error) {
	for _, word := range strings.Fields(text) {
		if value, found := strings.CutPrefix(word, name+"="); found {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 {
				return 0, fmt.Errorf("%q: %s is no time", text, name)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("%q: there is no %s", text, name)
}

func (r *programRun) Close() {
	_ = r.stdin.Close()
	r.child.Kill()
	_ = r.stdout.Close()
}
