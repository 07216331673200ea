// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"bufio"
	"fmt"
	"io"
	"regexp"

	"github.com/os2026/ebpf-rca/contention"
)

// wakeuptime ranks by the time that others slept until a thread woke them. It knows threads
// by their names.
var wakeuptime = tool{
	name:     "wakeuptime",
	programs: libbpfNames("wakeuptime"),
	start:    startLibbpf,
	parse:    parseWakeuptime,
}

// The lines of an entry: who slept, the kernel stack of who woke it, and who that was; the
// next gives the time.
var (
	wakeupTarget = regexp.MustCompile(`^\ttarget: +(.+)$`)
	wakeupWaker  = regexp.MustCompile(`^\t +waker: (.*)$`)
)

// parseWakeuptime reads entries with microseconds. Their stacks are the kernel's own, of
// the waking itself, and show nothing of the waker.
func parseWakeuptime(r io.Reader, t target) ([]suspect, error) {
	var all suspects
	ours := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if woken := wakeupTarget.FindStringSubmatch(lines.Text()); woken != nil {
			_, ours = t.named(woken[1])
			continue
		}
		waker := wakeupWaker.FindStringSubmatch(lines.Text())
		if waker == nil {
			continue
		}
		if !lines.Scan() {
			return nil, fmt.Errorf("time of waker %q: %w", waker[1], io.ErrUnexpectedEOF)
		}
		us, err := microseconds(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("time of waker %q: %w", waker[1], err)
		}
		if thread, _ := t.named(waker[1]); ours {
			all.add(thread, us, contention.ReleaseStack, nil)
		}
	}
	return all.list, lines.Err()
}
