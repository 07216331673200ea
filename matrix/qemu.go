// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// Accel is what runs a guest's instructions.
type Accel string

// KVM runs them on the CPU, TCG emulates one.
const (
	KVM Accel = "kvm"
	TCG Accel = "tcg"
)

// QEMU is the emulator of this machine's architecture.
type QEMU struct {
	Path    string
	Version string
}

// emulator is the program, of Debian's package qemu-system-x86.
const emulator = "qemu-system-x86_64"

var emulatorVersion = regexp.MustCompile(`version ([0-9][^ \n]*)`)

// FindQEMU looks for the emulator.
func FindQEMU(ctx context.Context) (QEMU, error) {
	path, err := exec.LookPath(emulator)
	if err != nil {
		return QEMU{}, fmt.Errorf("%w: %w; install qemu-system-x86", ErrNoQEMU, err)
	}
	text, err := output(exec.CommandContext(ctx, path, "--version"))
	if err != nil {
		return QEMU{}, fmt.Errorf("%w: %w", ErrNoQEMU, err)
	}
	q := QEMU{Path: path}
	if m := emulatorVersion.FindStringSubmatch(text); m != nil {
		q.Version = m[1]
	}
	return q, nil
}

// HasKVM reports whether the kernel offers to run guests, which does not say that it can.
func HasKVM() bool {
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// machine is one virtual machine to be booted.
type machine struct {
	kernel  string // path of the image
	initrd  string
	accel   Accel
	cpus    int
	memory  int    // MiB
	console string // path of a file, or empty for the terminal
	// messages is the descriptor of a socket to the second serial port, 0 for none.
	messages int
	extra    string // of the kernel's command line
}

// commandLine is what the kernel is told. It reboots, which ends QEMU, when it panics,
// and panics when it oopses: nothing is measured on a broken kernel. The time stamp
// counter is its clock everywhere, for the timer that old kernels prefer under emulation
// doubles every latency.
const commandLine = "console=ttyS0 loglevel=5 panic=-1 oops=panic reboot=t rdinit=" + InitPath + " tsc=reliable clocksource=tsc"

// arguments are those of QEMU. Under emulation all CPUs of a guest take turns on one
// thread: with a thread each, kernels that attach eBPF programs run into int3 oopses.
func (m machine) arguments() []string {
	accel, cpu := "tcg,thread=single", "max"
	if m.accel == KVM {
		accel, cpu = "kvm", "host"
	}
	args := []string{
		"-machine", "pc", "-accel", accel, "-cpu", cpu,
		"-smp", strconv.Itoa(m.cpus), "-m", strconv.Itoa(m.memory),
		"-name", "guest,debug-threads=on", // by which the threads of its CPUs are known
		"-nodefaults", "-display", "none", "-no-reboot", "-nic", "none", "-monitor", "none",
	}
	if m.console == "" {
		args = append(args, "-chardev", "stdio,id=console,signal=off")
	} else {
		args = append(args, "-chardev", "file,id=console,path="+escaped(m.console))
	}
	args = append(args, "-serial", "chardev:console")
	if m.messages > 0 {
		args = append(args, "-chardev", fmt.Sprintf("socket,id=messages,fd=%d", m.messages), "-serial", "chardev:messages")
	}
	line := commandLine
	if m.extra != "" {
		line += " " + m.extra
	}
	return append(args, "-kernel", m.kernel, "-initrd", m.initrd, "-append", line)
}

// escaped doubles commas, which divide an option of QEMU.
func escaped(path string) string { return regexp.MustCompile(`,`).ReplaceAllString(path, ",,") }
