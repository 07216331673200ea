// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/results"
)

// What a measurement of a machine's speed takes: a third of a second on a fast one.
const (
	speedSleeps   = 40
	speedSleep    = 5 * time.Millisecond
	speedBatches  = 11
	speedSwitches = 200 // in a batch, there and back
)

// MeasureSpeed finds out how fast this machine sleeps and switches.
func MeasureSpeed() (results.Speed, error) {
	late := oversleeps()
	there, err := switchTimes()
	if err != nil {
		return results.Speed{}, fmt.Errorf("measure the machine's speed: %w", err)
	}
	return results.Speed{
		OversleepMedian: late[len(late)/2],
		OversleepP90:    late[len(late)*9/10],
		Switch:          there[len(there)/2],
	}, nil
}

// oversleeps are in order. The thread sleeps itself: Go's own timers are not measured.
func oversleeps() []time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	late := make([]time.Duration, speedSleeps)
	for i := range late {
		begin, left := time.Now(), unix.NsecToTimespec(int64(speedSleep))
		for unix.Nanosleep(&left, &left) == unix.EINTR {
		}
		late[i] = time.Since(begin) - speedSleep
	}
	slices.Sort(late)
	return late
}

// switchTimes are in order, one a batch.
func switchTimes() ([]time.Duration, error) {
	var there, back [2]int
	if err := unix.Pipe2(there[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	defer closeBoth(there)
	if err := unix.Pipe2(back[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	defer closeBoth(back)
	var partner sync.WaitGroup
	partner.Go(func() { answerAll(there[0], back[1]) })
	defer partner.Wait()
	times := make([]time.Duration, speedBatches)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := range times {
		begin := time.Now()
		for range speedSwitches {
			if err := passOn(back[0], there[1]); err != nil {
				return nil, err
			}
		}
		times[i] = time.Since(begin) / (2 * speedSwitches)
	}
	slices.Sort(times)
	return times, nil
}

// passOn wakes the partner and waits to be woken.
func passOn(from, to int) error {
	token := []byte{0}
	if _, err := unix.Write(to, token); err != nil {
		return os.NewSyscallError("write", err)
	}
	_, err := unix.Read(from, token)
	return os.NewSyscallError("read", err)
}

// answerAll gives back each byte that comes, for as many as are sent.
func answerAll(from, to int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	token := []byte{0}
	for range speedBatches * speedSwitches {
		if _, err := unix.Read(from, token); err != nil {
			return
		}
		if _, err := unix.Write(to, token); err != nil {
			return
		}
	}
}

func closeBoth(pipe [2]int) {
	_ = unix.Close(pipe[0])
	_ = unix.Close(pipe[1])
}
