// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now is the instant on CLOCK_MONOTONIC, the clock of all times in a trace.
func Now() time.Duration { return time.Duration(now()) }

func now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // cannot be: the clock is always there
	}
	return uint64(ts.Nano())
}
