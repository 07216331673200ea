// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// status is what of /proc/PID/status is of use here.
type status struct {
	uids         []uint32 // real, effective, saved, of the file system
	innermostPid int      // in the pid namespace that the process itself is in
}

func openStatus(pid int) (status, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return status{}, err
	}
	defer f.Close()
	s, err := readStatus(f)
	if err != nil {
		return status{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return s, nil
}

var errNoStatus = errors.New("status: no Uid or NSpid")

func readStatus(r io.Reader) (status, error) {
	var s status
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, rest, _ := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(rest)
		switch key {
		case "Uid":
			for _, f := range fields {
				uid, err := strconv.ParseUint(f, 10, 32)
				if err != nil {
					return status{}, fmt.Errorf("status: uid: %w", err)
				}
				s.uids = append(s.uids, uint32(uid))
			}
		case "NSpid":
			if len(fields) == 0 {
				return status{}, errNoStatus
			}
			pid, err := strconv.Atoi(fields[len(fields)-1])
			if err != nil {
				return status{}, fmt.Errorf("status: pid: %w", err)
			}
			s.innermostPid = pid
		}
	}
	if err := lines.Err(); err != nil {
		return status{}, fmt.Errorf("status: %w", err)
	}
	if len(s.uids) == 0 || s.innermostPid == 0 {
		return status{}, errNoStatus
	}
	return s, nil
}

// parseStartTicks reads the time at which a process started, the 22nd field of
// /proc/PID/stat. The second is the name, which may contain anything.
func parseStartTicks(text string) (uint64, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const start = 22 - 3 // the first after the name is the third
	if len(fields) <= start {
		return 0, errors.New("stat: too short")
	}
	ticks, err := strconv.ParseUint(fields[start], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("stat: start time: %w", err)
	}
	return ticks, nil
}
