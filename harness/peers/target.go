// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/os2026/ebpf-rca/contention"
)

// target is whom a tool is to watch: a process and its descendants.
type target struct {
	pids    []int // the process first
	threads []contention.Thread
}

// readTarget reads it from /proc. A thread or descendant that ends meanwhile is left out.
func readTarget(proc fs.FS, pid int) (target, error) {
	t := target{pids: []int{pid}}
	parents, err := readParents(proc)
	if err != nil {
		return target{}, fmt.Errorf("read processes: %w", err)
	}
	for i := 0; i < len(t.pids); i++ {
		for _, child := range slices.Sorted(maps.Keys(parents)) {
			if parents[child] == t.pids[i] && !slices.Contains(t.pids, child) {
				t.pids = append(t.pids, child)
			}
		}
	}
	for _, pid := range t.pids {
		t.threads = append(t.threads, readThreads(proc, pid)...)
	}
	if len(t.threads) == 0 {
		return target{}, fmt.Errorf("read threads of process %d: %w", pid, fs.ErrNotExist)
	}
	return t, nil
}

// readParents reads who started each process.
func readParents(proc fs.FS) (map[int]int, error) {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil, err
	}
	parents := map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := fs.ReadFile(proc, e.Name()+"/stat")
		if err != nil {
			continue
		}
		if parent, ok := parentIn(stat); ok {
			parents[pid] = parent
		}
	}
	return parents, nil
}

// parentIn finds the parent in the stat of a process, whose name may hold anything.
func parentIn(stat []byte) (int, bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}

func readThreads(proc fs.FS, pid int) []contention.Thread {
	dir := strconv.Itoa(pid) + "/task"
	entries, err := fs.ReadDir(proc, dir)
	if err != nil {
		return nil
	}
	var list []contention.Thread
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		comm, err := fs.ReadFile(proc, dir+"/"+e.Name()+"/comm")
		if err != nil {
			continue
		}
		list = append(list, contention.Thread{PID: pid, TID: tid, Comm: strings.TrimSuffix(string(comm), "\n")})
	}
	slices.SortFunc(list, func(a, b contention.Thread) int { return a.TID - b.TID })
	return list
}

// thread is the one of a tid as far as is known; false if it is not the target's.
func (t target) thread(tid int, comm string) (contention.Thread, bool) {
	for _, known := range t.threads {
		if known.TID == tid {
			return known, true
		}
	}
	return contention.Thread{TID: tid, Comm: comm}, false
}

// named is the only thread of a name. Of several, and of none, the name is all that is
// known, and only the latter is not the target's.
func (t target) named(comm string) (thread contention.Thread, ours bool) {
	var found []contention.Thread
	for _, known := range t.threads {
		if known.Comm == comm {
			found = append(found, known)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return contention.Thread{Comm: comm}, len(found) > 1
}
