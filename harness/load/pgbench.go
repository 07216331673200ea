// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/harness/child"
)

// clients is how many connections ask the server at a time.
const clients = 4

// pgbenchRun is a number of transactions that only read.
type pgbenchRun struct {
	*postgresServer
	units  uint64
	client *child.Child
}

// PID is the server, whose processes are its children.
func (r *pgbenchRun) PID() int { return r.server.PID() }

// Do counts all that server and clients do, their coming and going included.
func (r *pgbenchRun) Do(ctx context.Context, counted func()) (Took, error) {
	took, err := r.do(ctx, counted)
	if err != nil {
		return Took{}, fmt.Errorf("do pgbench: %w", err)
	}
	return took, nil
}

func (r *pgbenchRun) do(ctx context.Context, counted func()) (Took, error) {
	before, err := readUsed(os.DirFS("/proc"), r.PID())
	if err != nil {
		return Took{}, err
	}
	counted()
	begin := time.Now()
	log := filepath.Join(r.dir, "log")
	r.client, err = child.Start(r.command("pgbench", "-h", r.dir, "-U", databaseUser, "-n", "-S", "-M", "prepared",
		"-c", strconv.Itoa(clients), "-t", strconv.FormatUint(r.units/clients, 10), "-l", "--log-prefix", log, database))
	if err != nil {
		return Took{}, err
	}
	if err := endOf(ctx, r.client, "pgbench"); err != nil {
		return Took{}, err
	}
	wall := time.Since(begin)
	after, err := r.awaitGone(ctx, before.children)
	if err != nil {
		return Took{}, err
	}
	p99, err := readPgbenchLog(log + "." + strconv.Itoa(r.client.PID()))
	if err != nil {
		return Took{}, err
	}
	return Took{CPU: after.cpu - before.cpu + r.client.CPU(), Wall: wall, P99: p99}, nil
}

// awaitGone waits until the server has no more children than before: what those used
// that served the clients is then known.
func (r *pgbenchRun) awaitGone(ctx context.Context, children int) (used, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, leaveTime, errors.New("the server still serves clients that are gone"))
	defer cancel()
	for {
		now, err := readUsed(os.DirFS("/proc"), r.PID())
		if err != nil || now.children <= children {
			return now, err
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return used{}, context.Cause(ctx)
		}
	}
}

// Close ends the clients; the server stays.
func (r *pgbenchRun) Close() {
	if r.client != nil {
		r.client.Kill()
	}
}

// readPgbenchLog reads the 99th percentile from a log, which it removes.
func readPgbenchLog(path string) (p99 time.Duration, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	if p99, err = parsePgbenchLog(f); err != nil {
		return 0, fmt.Errorf("read pgbench's log: %w", err)
	}
	return p99, nil
}

// parsePgbenchLog reads the 99th percentile of the third column, in microseconds.
func parsePgbenchLog(r io.Reader) (time.Duration, error) {
	var times []uint64
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return 0, fmt.Errorf("line %d has %d columns", len(times)+1, len(fields))
		}
		us, err := strconv.ParseUint(fields[2], 10, 64)
		if err == nil && us > math.MaxInt64/uint64(time.Microsecond) {
			err = fmt.Errorf("%d µs are out of range", us)
		}
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", len(times)+1, err)
		}
		times = append(times, us)
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	if len(times) == 0 {
		return 0, errors.New("no transaction is in it")
	}
	slices.Sort(times)
	return time.Duration(times[(len(times)-1)*99/100]) * time.Microsecond, nil
}
