// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/matrix"
)

// IsInit reports whether this process is the first of a guest.
func IsInit() bool { return os.Getpid() == 1 && os.Args[0] == matrix.InitPath }

// environment is that of all programs in a guest.
var environment = []string{"PATH=/bin:/usr/bin:/sbin:/usr/sbin", "HOME=/", "TERM=linux"}

// Init runs the command that a guest is there for, and ends the machine. It returns only
// if that cannot be done. What goes wrong is told on the console.
func Init() error {
	err := serve()
	if err != nil {
		fmt.Fprintln(os.Stderr, "init:", err)
	}
	unix.Sync()
	return unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
}

// serve brings the guest up and runs the command, with the host listening if there is a
// port to it.
func serve() error {
	text, err := os.ReadFile(matrix.CommandPath)
	if err != nil {
		return err
	}
	command := strings.Split(string(text), "\n")
	missing := mountAll()
	for _, warning := range missing {
		fmt.Fprintln(os.Stderr, "init:", warning)
	}
	if err := loopbackUp(); err != nil {
		fmt.Fprintln(os.Stderr, "init:", err)
	}
	link, err := OpenLink()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EIO) {
		return ignoreExit(runAtTerminal(command)) // nobody listens
	}
	if err != nil {
		return err
	}
	if err := link.Send(matrix.Message{Booted: &matrix.Booted{Release: release()}}); err != nil {
		return err
	}
	code, err := exitCode(runChild(command))
	end := matrix.End{Code: code}
	if err != nil {
		end.Reason = err.Error()
	}
	return errors.Join(link.Send(matrix.Message{End: &end}), link.Close())
}

func release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

func runChild(command []string) error {
	cmd := child(command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

func child(command []string) *exec.Cmd {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = environment
	return cmd
}

// terminal is the serial port behind the console, which itself cannot be a session's
// terminal: without one a shell has no jobs, and Ctrl-C ends nothing.
const terminal = "/dev/ttyS0"

func runAtTerminal(command []string) error {
	tty, err := os.OpenFile(terminal, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return runChild(command)
	}
	defer tty.Close()
	cmd := child(command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Run()
}

// exitCode tells how a child ended apart from not having been started.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return exit.ExitCode(), nil
	default:
		return -1, fmt.Errorf("run the guest's command: %w", err)
	}
}

func ignoreExit(err error) error {
	_, err = exitCode(err)
	return err
}

// mount is a file system that programs expect.
type mount struct {
	kind, at, options string
}

// mounts are in the order in which they stand in each other.
var mounts = []mount{
	{"proc", "/proc", ""},
	{"sysfs", "/sys", ""},
	{"devtmpfs", "/dev", ""},
	{"tmpfs", "/dev/shm", ""},
	{"devpts", "/dev/pts", ""},
	{"tmpfs", "/tmp", "mode=1777"},
	{"tmpfs", "/run", ""},
	{"tracefs", "/sys/kernel/tracing", ""},
	{"debugfs", "/sys/kernel/debug", ""},
	{"cgroup2", "/sys/fs/cgroup", ""},
}

// mountAll mounts what this kernel has and returns what it lacks.
func mountAll() []error {
	var missing []error
	for _, m := range mounts {
		_ = os.MkdirAll(m.at, 0o755)
		if err := unix.Mount(m.kind, m.at, m.kind, 0, m.options); err != nil && !errors.Is(err, unix.EBUSY) {
			missing = append(missing, fmt.Errorf("mount %s at %s: %w", m.kind, m.at, err))
		}
	}
	for name, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		_ = os.Symlink("/proc/self/fd"+target, "/dev/"+name) // it may be there
	}
	// Groups of processes may limit their CPU time.
	if err := os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+cpu"), 0o644); err != nil {
		missing = append(missing, err)
	}
	return missing
}

// loopbackUp lets programs reach each other by 127.0.0.1.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring the loopback interface up: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("bring the loopback interface up: %w", err)
	}
	return nil
}
