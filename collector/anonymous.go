// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
)

// isAnonymous reports whether o is a file of the inode that eventfds and the like share,
// so that the inode does not say what it is.
func isAnonymous(o bpf.Object) bool { return o.File != 0 && o.Mode == 0 }

// anonymousKinds are what /proc/PID/fd shows such files as (anon_inode_getfile in fs/).
var anonymousKinds = map[string]contention.Kind{
	"anon_inode:[eventfd]":  contention.EventFD,
	"anon_inode:[timerfd]":  contention.Timer,
	"anon_inode:[signalfd]": contention.Signal,
}

// anonymousFiles knows the kinds of such files, by the kernel's address of each.
type anonymousFiles map[uint64]contention.Kind

// kind asks the process that waits, while it has the file open.
func (known anonymousFiles) kind(o bpf.Object, pid int) contention.Kind {
	kind, ok := known[o.File]
	if !ok {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, o.Address))
		if err != nil {
			return contention.Other // another wait may tell
		}
		if kind, ok = anonymousKinds[link]; !ok {
			kind = contention.Other
		}
		known[o.File] = kind
	}
	return kind
}

// tell makes r, which only says that o is anonymous, what it is.
func (known anonymousFiles) tell(r *contention.Resource, o bpf.Object, thread contention.Thread) {
	switch kind := known.kind(o, thread.PID); kind {
	case contention.Timer, contention.Signal:
		*r = alone(kind, thread)
	default:
		r.Kind = kind
	}
}
