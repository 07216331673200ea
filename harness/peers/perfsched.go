// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// perfSched ranks, as perf sched latency does, by how long a thread that was to run lacked
// a CPU on average.
var perfSched = tool{
	name:     "perf-sched",
	programs: []string{"perf"},
	tracefs:  true,
	start:    startPerfSched,
	parse:    parsePerfLatency,
}

// perfSession is perf sched record, and then latency on what it recorded.
type perfSession struct {
	*process
	path, dir string
	// control takes commands to perf and acks gives what it acknowledges. It ends when
	// either is closed.
	control, acks *os.File
}

// startPerfSched starts perf with its events off and has it turn them on: it acknowledges
// that once it watches.
func startPerfSched(ctx context.Context, path string, _ target) (session, error) {
	dir, err := os.MkdirTemp("", "perf-sched-")
	if err != nil {
		return nil, err
	}
	s := &perfSession{path: path, dir: dir}
	err = s.record()
	if err == nil {
		err = s.enable(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *perfSession) data() string { return filepath.Join(s.dir, "perf.data") }

func (s *perfSession) record() error {
	commands, control, err := os.Pipe()
	if err != nil {
		return err
	}
	defer commands.Close()
	acks, acknowledge, err := os.Pipe()
	if err != nil {
		return errors.Join(err, control.Close())
	}
	defer acknowledge.Close()
	s.control, s.acks = control, acks
	cmd := exec.Command(s.path, "sched", "record", "-D", "-1", "--control=fd:3,4", "-o", s.data())
	cmd.ExtraFiles = []*os.File{commands, acknowledge}
	s.process, err = startProcess(cmd)
	return err
}

// enable turns the events on and waits until they are. perf closes its ends of the pipes
// when it ends.
func (s *perfSession) enable(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.acks.Close() })
	defer stop()
	_, err := io.WriteString(s.control, "enable\n")
	if err == nil {
		_, err = bufio.NewReader(s.acks).ReadString('\n')
	}
	if err == nil {
		return nil
	}
	select {
	case <-s.Ended():
	case <-ctx.Done():
	}
	return s.Because(cmp.Or(ctx.Err(), errNeverWatched))
}

// finish ends the recording. perf ends itself by the signal that it was sent.
func (s *perfSession) finish(ctx context.Context) ([]byte, error) {
	if err := s.interrupt(ctx); err != nil {
		return nil, err
	}
	said, err := exec.CommandContext(ctx, s.path, "sched", "latency", "-p", "-i", s.data()).Output()
	if err != nil {
		return nil, fmt.Errorf("perf sched latency: %w", err)
	}
	return said, nil
}

func (s *perfSession) close() error {
	var err error
	if s.process != nil {
		err = s.process.close()
	}
	if s.control != nil {
		_, _ = s.control.Close(), s.acks.Close() // closed already the second time
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// latencyRow is a thread in the table: its name, its tid, and the average in milliseconds.
var latencyRow = regexp.MustCompile(`^ +(.+):(\d+) +\|[^|]*\|[^|]*\| avg: *(\d+\.\d+) ms \|`)

func parsePerfLatency(r io.Reader, t target) ([]suspect, error) {
	var all suspects
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		row := latencyRow.FindStringSubmatch(lines.Text())
		if row == nil {
			continue
		}
		tid, err := strconv.Atoi(row[2])
		if err != nil {
			return nil, fmt.Errorf("thread: %w", err)
		}
		delay, err := time.ParseDuration(row[3] + "ms")
		if err != nil {
			return nil, fmt.Errorf("delay of thread %d: %w", tid, err)
		}
		if thread, ours := t.thread(tid, row[1]); ours {
			all.add(thread, delay, contention.HoldingRunnable, nil)
		}
	}
	return all.list, lines.Err()
}
