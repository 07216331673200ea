// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/image"
)

func procPath(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// checkTarget says what is wrong with a pid, where that can be told beforehand.
func checkTarget(pid int) error {
	if pid == os.Getpid() {
		return fmt.Errorf("process %d is this ebpf-rca itself, which does not watch itself", pid)
	}
	status, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return fmt.Errorf("there is no process %d", pid)
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if key == "State" && strings.HasPrefix(value, "Z") {
			return fmt.Errorf("process %d has ended and only waits for its parent to notice", pid)
		}
		if key == "Tgid" && value != strconv.Itoa(pid) {
			return fmt.Errorf("%d is a thread of process %s: watch that", pid, value)
		}
	}
	return nil
}

// runs reports whether a process is there and has not ended.
func runs(pid int) bool {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	return err == nil && !hasEnded(statFields(string(stat)))
}

// statFields are the fields of a line of /proc/PID/stat from the state on: state,
// parent, process group, …
func statFields(line string) []string {
	return strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
}

// hasEnded reports whether the fields are those of a process that is no more.
func hasEnded(fields []string) bool {
	return len(fields) == 0 || fields[0] == "Z" || fields[0] == "X"
}

func commOf(pid int) string {
	name, err := os.ReadFile(procPath(pid, "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(name), "\n")
}

func isGo(pid int) bool {
	f, err := os.Open(procPath(pid, "exe"))
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	// debug/buildinfo copies the name of each section: of a file with one long name for
	// all of them it makes many gigabytes.
	headers, err := image.ReadELF(f, info.Size())
	return err == nil && headers.Section(".go.buildinfo") != nil
}

func kernelRelease() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}
