// SPDX-License-Identifier: Apache-2.0

package image

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// HaveOthers says whether this process may see what processes of other users map and
// hold in memory. The error wraps os.ErrPermission if not.
func HaveOthers() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("read this process's capabilities: %w", err)
	}
	if sets[unix.CAP_SYS_PTRACE/32].Effective&(1<<(unix.CAP_SYS_PTRACE%32)) == 0 {
		return fmt.Errorf("CAP_SYS_PTRACE is needed: %w", os.ErrPermission)
	}
	return nil
}
