// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/image"
)

// jitModule is the module that code made at run time is shown to be in.
const jitModule = "[jit]"

// jit is what is known of the map that a process's JIT compiler writes. The table is in
// the cache.
type jit struct {
	looked time.Time     // when the file was last looked at
	took   time.Duration // to read it
	file   fileKey       // the state in which it was read
}

// mayHold reports whether code made at run time may be in m.
func mayHold(m image.Mapping) bool {
	switch {
	case strings.HasPrefix(m.Path, "/memfd:"), m.Path == "[heap]":
		return true
	case m.Permissions&image.Execute == 0:
		return false
	case m.Inode == 0:
		return m.Path == "" || strings.HasPrefix(m.Path, "[anon")
	default:
		return strings.HasPrefix(m.Path, "/dev/zero") || strings.HasPrefix(m.Path, "/anon_hugepage")
	}
}

// jitName returns the name that the JIT compiler of process pid gave to the code at
// address. The map is looked at again when it does not have the address, at most each
// refreshInterval and for a tenth of the time.
func (s *Symbolizer) jitName(pid int, p *process, address uint64, now time.Time) string {
	key := fileKey{jit: pid}
	value, ok := s.cache.get(key)
	if ok {
		if name := value.(*perfMap).find(address); name != "" {
			return name
		}
	} else {
		p.jit.file = fileKey{}
	}
	if !p.jit.looked.IsZero() && now.Sub(p.jit.looked) < max(refreshInterval, 10*p.jit.took) {
		return ""
	}
	p.jit.looked = now
	begin := time.Now()
	fresh, state, err := openPerfMap(pid, p.jit.file)
	if err != nil || fresh == nil {
		return ""
	}
	p.jit.took, p.jit.file = time.Since(begin), state
	s.cache.put(key, fresh)
	return fresh.find(address)
}

// openPerfMap reads /tmp/perf-PID.map of a process, nil if it is still as it was in the
// state seen. Whoever may write to /tmp could put it there, so it counts only if the
// user of the process or root owns it and it was written since the process started.
func openPerfMap(pid int, seen fileKey) (*perfMap, fileKey, error) {
	status, err := openStatus(pid)
	if err != nil {
		return nil, fileKey{}, err
	}
	f, err := image.OpenInRoot(pid, fmt.Sprintf("/tmp/perf-%d.map", status.innermostPid), syscall.O_NOFOLLOW)
	if err != nil {
		return nil, fileKey{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileKey{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid != 0 && !slices.Contains(status.uids, stat.Uid) {
		return nil, fileKey{}, fmt.Errorf("%s: of another user: %w", f.Name(), fs.ErrPermission)
	}
	started, err := startTime(pid)
	if err != nil {
		return nil, fileKey{}, err
	}
	if info.ModTime().Before(started) {
		return nil, fileKey{}, fmt.Errorf("%s: of an earlier process: %w", f.Name(), fs.ErrNotExist)
	}
	state, ok := keyOf(f)
	if !ok || state == seen {
		return nil, seen, nil
	}
	m, err := readPerfMap(f)
	return m, state, err
}

// startTime is when a process started, by the clock that files are stamped with, up to
// two seconds early: the kernel counts in hundredths, and stamps by a coarse clock.
func startTime(pid int) (time.Time, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}, err
	}
	ticks, err := parseStartTicks(string(text))
	if err != nil {
		return time.Time{}, fmt.Errorf("process %d: %w", pid, err)
	}
	var boot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot); err != nil {
		return time.Time{}, fmt.Errorf("read the time since boot: %w", err)
	}
	const perSecond = 100 // USER_HZ
	age := time.Duration(boot.Nano()) - time.Duration(ticks)*(time.Second/perSecond)
	return time.Now().Add(-age - 2*time.Second), nil
}
