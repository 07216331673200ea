// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The runtime interrupts its threads by signals as it likes, and a terminal's ioctls are
// not begun anew by the kernel after one.
func TestDrainOutlastsSignals(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer terminal.Close()
	fd := int(terminal.Fd())

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, tid := os.Getpid(), unix.Gettid()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Tgkill(pid, tid, unix.SIGURG)
			}
		}
	}()
	for range 20000 {
		if err = drain(fd); err != nil {
			break
		}
	}
	close(stop)
	<-stopped
	require.NoError(t, err)
}
