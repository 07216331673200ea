// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// raiseLockedMemory raises what this process may lock of memory, as far as it is allowed
// to. Before 5.11 (commit 97306be45fbe) maps count against it.
func raiseLockedMemory() error {
	unlimited := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unlimited)
	if errors.Is(err, os.ErrPermission) { // without CAP_SYS_RESOURCE
		var limit unix.Rlimit
		if err = unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err == nil {
			limit.Cur = limit.Max
			err = unix.Setrlimit(unix.RLIMIT_MEMLOCK, &limit)
		}
	}
	if err != nil {
		return fmt.Errorf("raise the limit of locked memory: %w", err)
	}
	return nil
}
