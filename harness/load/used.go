// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"
)

// used is what a process with its children has used so far.
type used struct {
	// cpu is the time of the process and of the children that it has waited for, in steps
	// of 10 ms.
	cpu time.Duration
	// children are those that still run.
	children int
}

// readUsed reads it from /proc.
func readUsed(proc fs.FS, pid int) (used, error) {
	dir := strconv.Itoa(pid)
	stat, err := fs.ReadFile(proc, dir+"/stat")
	if err != nil {
		return used{}, fmt.Errorf("read what process %d used: %w", pid, err)
	}
	cpu, err := parseUsed(stat)
	if err != nil {
		return used{}, fmt.Errorf("read what process %d used: %w", pid, err)
	}
	children, err := fs.ReadFile(proc, dir+"/task/"+dir+"/children") // CONFIG_PROC_CHILDREN
	if err != nil {
		return used{}, fmt.Errorf("read the children of process %d: %w", pid, err)
	}
	return used{cpu: cpu, children: len(bytes.Fields(children))}, nil
}

// tick is the unit of times in /proc/PID/stat: USER_HZ is 100 on all that we build for.
const tick = 10 * time.Millisecond

// The places of utime and cstime, between which stand stime and cutime, counted from the
// state, which follows a name that may hold anything.
const (
	utimeField  = 11
	cstimeField = 14
)

func parseUsed(stat []byte) (time.Duration, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= cstimeField {
		return 0, errors.New("the line is cut short")
	}
	var sum time.Duration
	for _, field := range fields[utimeField : cstimeField+1] {
		ticks, err := strconv.ParseUint(string(field), 10, 64)
		if err != nil {
			return 0, err
		}
		if ticks > uint64(math.MaxInt64/tick/4) {
			return 0, fmt.Errorf("%d ticks are out of range", ticks)
		}
		sum += time.Duration(ticks) * tick
	}
	return sum, nil
}
