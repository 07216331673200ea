// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startTied starts a command that dies with this process, however that ends. How the
// command ended is sent once, and then the channel is closed.
//
// It is started from a thread that stays until then: the kernel sends the death signal
// when that thread ends, not the process.
func startTied(cmd *exec.Cmd) (ended <-chan error, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started, waited := make(chan error), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			waited <- cmd.Wait()
		}
		close(waited)
	}()
	return waited, <-started
}
