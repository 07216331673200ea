// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// clock runs a program on one CPU at a steady pace. The program stays attached for
// as long as the descriptor is open.
type clock struct {
	fd int
}

// openClocks opens a clock of hz ticks a second on each CPU that is online. It uses
// the CPU clock, which virtual machines have where they have no hardware counters.
func openClocks(program *ebpf.Program, hz int) ([]*clock, error) {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, fmt.Errorf("count the CPUs: %w", err)
	}
	var clocks []*clock
	for cpu := range cpus {
		c, err := openClock(program, cpu, hz)
		if errors.Is(err, unix.ENODEV) {
			continue // possible but not online
		}
		if err != nil {
			for _, c := range clocks {
				err = errors.Join(err, c.Close())
			}
			return nil, fmt.Errorf("sample CPU %d: %w", cpu, err)
		}
		clocks = append(clocks, c)
	}
	return clocks, nil
}

func openClock(program *ebpf.Program, cpu, hz int) (*clock, error) {
	attr := &unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(hz),
		Bits:   unix.PerfBitFreq,
	}
	fd, err := unix.PerfEventOpen(attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("perf_event_open", err)
	}
	c := &clock{fd: fd}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, program.FD()); err != nil {
		return nil, errors.Join(os.NewSyscallError("attach to the clock", err), c.Close())
	}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		return nil, errors.Join(os.NewSyscallError("start the clock", err), c.Close())
	}
	return c, nil
}

// Close stops the clock. It may be called twice.
func (c *clock) Close() error {
	if c.fd < 0 {
		return nil
	}
	fd := c.fd
	c.fd = -1
	return unix.Close(fd)
}
