// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/results"
)

// patience is how long a guest may be silent.
type patience struct {
	boot time.Duration // until it has booted
	run  time.Duration // between two messages after that
}

// ending is how a boot went.
type ending struct {
	booted  *Booted
	end     *End         // nil if the guest did not come to its end
	running *results.Run // what it was playing when it died
	records int          // kept in this boot
	damaged int          // messages that were not whole
	// reason is why it died or its command failed, empty if neither did; verdict is that on
	// what it was playing.
	reason  string
	verdict results.Verdict
}

// listener is told what a guest tells.
type listener interface {
	// started comes first, with the pid of QEMU.
	started(pid int)
	// take ends the guest by an error.
	take(Message) error
}

// boot starts a guest, hands its messages on until it ends, and makes sure that it has. An
// error is one of this side: of the listener, of the machine, or ctx's.
func (q QEMU) boot(ctx context.Context, m machine, initrd []byte, p patience, to listener) (ending, error) {
	files, host, err := guestFiles(initrd)
	if err != nil {
		return ending{}, fmt.Errorf("boot: %w", err)
	}
	defer host.Close()
	m.initrd, m.messages = "/dev/fd/3", 4
	cmd := exec.CommandContext(ctx, q.Path, m.arguments()...)
	var complaints bytes.Buffer
	cmd.Stderr, cmd.ExtraFiles = &complaints, files
	cmd.WaitDelay = time.Second
	// A terminal's signals are for this process: a guest that they ended would pass for dead.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	ended, err := startTied(cmd)
	for _, f := range files {
		_ = f.Close()
	}
	if err != nil {
		return ending{}, fmt.Errorf("boot: %w", err)
	}

	to.started(cmd.Process.Pid)
	e, err := listen(ctx, host, p, to.take)
	var how error // QEMU ended by itself
	if err == nil && e.reason == "" {
		how, err = leave(ctx, ended)
	}
	_ = cmd.Process.Kill()
	<-ended
	if err != nil {
		return e, err
	}
	switch {
	case e.end == nil:
		e.blame(m.console, complaints.String(), how)
	case e.end.Code != 0:
		e.reason = said(m.console)
	}
	return e, nil
}

// guestFiles are the archive in memory and one end of a socket, for QEMU to inherit, and
// the socket's other end. Nothing of a guest is in a folder that could be left behind.
func guestFiles(initrd []byte) (files []*os.File, host *os.File, err error) {
	archive, err := inMemory("initrd", initrd)
	if err != nil {
		return nil, nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a socket: %w", err), archive.Close())
	}
	if err := unix.SetNonblock(pair[1], true); err != nil { // so that it has deadlines
		return nil, nil, err
	}
	return []*os.File{archive, os.NewFile(uintptr(pair[0]), "guest")}, os.NewFile(uintptr(pair[1]), "host"), nil
}

// inMemory makes a file that is in no folder.
func inMemory(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make memory for %s: %w", name, err)
	}
	file := os.NewFile(uintptr(fd), name)
	if _, err := file.Write(content); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// leaveTime is what a guest has to end after its last message.
const leaveTime = 10 * time.Second

// leave waits for a guest to end, and returns how it did.
func leave(ctx context.Context, ended <-chan error) (how, err error) {
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case how = <-ended:
		return how, nil
	case <-timer.C: // what it was to tell it has told
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listen takes messages until the last, or until the guest has ended or been silent for
// too long. Deadlines are of the socket, so that nothing else has to watch the clock.
func listen(ctx context.Context, host *os.File, p patience, take func(Message) error) (ending, error) {
	stop := context.AfterFunc(ctx, func() { _ = host.SetReadDeadline(time.Now()) })
	defer stop()
	var e ending
	messages, err := newReceiver(host)
	if err != nil {
		return e, err
	}
	wait := p.boot
	for e.end == nil {
		if err := host.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return e, err
		}
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		m, err := messages.next()
		switch {
		case ctx.Err() != nil:
			return e, ctx.Err()
		case errors.Is(err, errDamaged):
			e.damaged++
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			e.reason, e.verdict = fmt.Sprintf("it hung: nothing was heard of it for %v", wait), results.Timeout
			return e, nil
		case errors.Is(err, io.EOF), errors.Is(err, unix.ECONNRESET):
			return e, nil
		case err != nil:
			return e, fmt.Errorf("listen to the guest: %w", err)
		}
		e.note(m)
		if e.booted != nil {
			wait = p.run
		}
		if err := take(m); err != nil {
			return e, err
		}
	}
	return e, nil
}

// note keeps what a message tells of how far the guest is.
func (e *ending) note(m Message) {
	switch {
	case m.Booted != nil:
		e.booted = m.Booted
	case m.Begin != nil:
		e.running = m.Begin
	case m.Record != nil:
		e.records++
		if e.running != nil && e.running.Index == m.Record.Index {
			e.running = nil
		}
	case m.End != nil:
		e.end, e.running = m.End, nil
	}
}

// blame says why a guest died, by what QEMU and its console tell.
func (e *ending) blame(console, emulator string, how error) {
	if e.reason == "" {
		e.reason, e.verdict = "it ended before it had played all", results.Infra
	}
	if e.booted == nil {
		e.reason = "it did not boot: " + e.reason
	}
	if words := lastLine(emulator); words != "" {
		e.reason += "; QEMU: " + words
	}
	if how != nil { // as by the kernel, for want of memory
		e.reason += "; QEMU: " + how.Error()
	}
	if log, err := os.ReadFile(console); err == nil {
		if lines, err := Complaints(bytes.NewReader(log)); err == nil && len(lines) > 0 {
			e.reason += "; its console: " + strings.Join(lines, " | ")
		}
	}
}

// said is what a guest's programs said last on its console.
func said(console string) string {
	log, err := os.ReadFile(console)
	if err != nil {
		return err.Error()
	}
	return lastWords(string(log))
}

// why says why a guest has not played all.
func (e *ending) why() string {
	switch {
	case e.end == nil:
		return e.reason
	case e.end.Reason != "":
		return e.end.Reason
	case e.end.Code != 0:
		return fmt.Sprintf("its command ended with code %d: %s", e.end.Code, e.reason)
	case e.damaged > 0:
		return fmt.Sprintf("%d of its messages came damaged", e.damaged)
	default:
		return "it ended well and left no record"
	}
}
