// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/stretchr/testify/require"
)

// kernelObjects are the ids of the programs, maps and links that a process has open.
type kernelObjects struct {
	programs []ebpf.ProgramID
	maps     []ebpf.MapID
	links    []link.ID
}

func objectsOf(pid int) (all kernelObjects) {
	files, _ := filepath.Glob(procPath(pid, "fdinfo/*"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, isLink := number(string(text), "link_id")
		for line := range strings.Lines(string(text)) {
			if id, ok := number(line, "prog_id"); ok && !isLink {
				all.programs = append(all.programs, ebpf.ProgramID(id))
			}
			if id, ok := number(line, "map_id"); ok {
				all.maps = append(all.maps, ebpf.MapID(id))
			}
			if id, ok := number(line, "link_id"); ok {
				all.links = append(all.links, link.ID(id))
			}
		}
	}
	return all
}

// number finds the line "NAME: N".
func number(text, name string) (uint32, bool) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		if key == name {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 32)
			return uint32(n), err == nil
		}
	}
	return 0, false
}

// awaitFreed waits until the kernel has let go of all: it does so in its own time.
func awaitFreed(t *testing.T, all kernelObjects) {
	t.Helper()
	for _, id := range all.programs {
		poll(t, "end of a program", func() bool { return freed(ebpf.NewProgramFromID(id)) })
	}
	for _, id := range all.maps {
		poll(t, "end of a map", func() bool { return freed(ebpf.NewMapFromID(id)) })
	}
	for _, id := range all.links {
		poll(t, "end of a link", func() bool { return freed(link.NewFromID(id)) })
	}
}

func freed[T interface{ Close() error }](object T, err error) bool {
	if err == nil {
		_ = object.Close()
	}
	return errors.Is(err, os.ErrNotExist)
}

// awaitNobodyRuns waits until no process runs a program whose path begins so.
func awaitNobodyRuns(t *testing.T, path string) {
	t.Helper()
	poll(t, "end of every "+path, func() bool {
		links, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, name := range links {
			if target, err := os.Readlink(name); err == nil && strings.HasPrefix(target, path) {
				return false
			}
		}
		return true
	})
}

// killed starts cmd, kills it as soon as it is ripe, and returns what it
// had in the kernel. It is stopped before it is looked at, so that nothing is missed.
func killed(t *testing.T, cmd *exec.Cmd, ripe func(pid int) bool) kernelObjects {
	t.Helper()
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	poll(t, "moment to kill", func() bool { return ripe(pid) || !runs(pid) })
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	all := objectsOf(pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return all
}

// watchesChild reports whether a process has programs in the kernel and a child.
func watchesChild(pid int) bool { return len(objectsOf(pid).links) > 0 && hasChild(pid) }

func hasChild(pid int) bool {
	lists, _ := filepath.Glob(procPath(pid, "task/*/children"))
	for _, list := range lists {
		if children, _ := os.ReadFile(list); len(children) > 0 {
			return true
		}
	}
	return false
}

// after makes a moment that comes so long after the first look.
func after(d time.Duration) func(int) bool {
	begin := time.Now()
	return func(int) bool { return time.Since(begin) >= d }
}

// moments are when to kill: once as soon as it watches a child, and then at random
// within twice what that took.
func moments() func() func(int) bool {
	begin := time.Now()
	span := time.Duration(0)
	return func() func(int) bool {
		if span == 0 {
			return func(pid int) bool {
				span = min(2*time.Since(begin), 3*time.Second)
				return watchesChild(pid)
			}
		}
		return after(rand.N(span))
	}
}

const kills = 10

func TestKilledRunLeavesNothing(t *testing.T) {
	needRoot(t)
	workloads := stage(t, "mutex-hold", "futex-shared")
	dir := t.TempDir()
	moment := moments()
	for i := range kills {
		out := filepath.Join(dir, itoa(i))
		cmd := command(t, "run", "--run", "^(mutex-hold|futex-shared)$", "--workloads", workloads, "--out", out)
		all := killed(t, cmd, moment())
		if i == 0 {
			require.NotEmpty(t, all.programs, "it was killed while it watched")
			require.NotEmpty(t, all.maps)
		}
		awaitNobodyRuns(t, workloads)
		awaitFreed(t, all)
		if r := do(t, "score", out); r.code != exitUsage { // which means that no folder was made
			require.Equal(t, exitInfra, r.code, "what is there reads as incomplete")
			require.Contains(t, r.stderr, "left no record")
		}
	}
}

func TestKilledDiagnoseLeavesNothing(t *testing.T) {
	needRoot(t)
	program := filepath.Join(t.TempDir(), "some-sleep")
	data, err := os.ReadFile("/bin/sleep")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, data, 0o755))
	moment := moments()
	for i := range kills {
		all := killed(t, command(t, "diagnose", "-d", "1m", "--", program, "1000"), moment())
		if i == 0 {
			require.NotEmpty(t, all.programs, "it was killed while it watched")
		}
		awaitNobodyRuns(t, program)
		awaitFreed(t, all)
	}
}
