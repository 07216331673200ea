// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
)

// busybox is one program with everything that a person needs at a prompt.
const busybox = "busybox"

// withoutBusybox are the programs put in its place where there is none.
var withoutBusybox = []string{"sh", "ls", "cat", "ps", "dmesg", "mount", "grep", "head", "tail", "less", "kill", "sleep", "uname"}

// AddShell makes the guest run a shell, and puts into it what a person wants to have at
// hand, as far as the host has it.
func (p *Payload) AddShell(ctx context.Context) error {
	if box, err := exec.LookPath(busybox); err == nil {
		return p.addBusybox(ctx, box)
	}
	for _, name := range withoutBusybox {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := p.AddProgram(ctx, "/bin/"+name, program); err != nil {
			return err
		}
	}
	p.SetCommand("/bin/sh", "-i")
	return nil
}

func (p *Payload) addBusybox(ctx context.Context, box string) error {
	if err := p.AddProgram(ctx, "/bin/"+busybox, box); err != nil {
		return err
	}
	names, err := output(exec.CommandContext(ctx, box, "--list"))
	if err != nil {
		return fmt.Errorf("ask busybox what it can do: %w", err)
	}
	for _, name := range strings.Fields(names) {
		if name != busybox {
			p.AddLink(path.Join("/bin", name), busybox)
		}
	}
	p.SetCommand("/bin/sh", "-i")
	return nil
}

// Shell boots a kernel with the terminal as its console, and returns when it has ended.
// The error wraps ErrUntestable if it did not come up.
func Shell(ctx context.Context, k Kernel, o Options) error {
	o = o.withDefaults()
	base, err := o.pack()
	if err != nil {
		return err
	}
	accel, err := o.choose(ctx, []Kernel{k}, base)
	if err != nil {
		return err
	}
	m := o.machine(k, accel, "")
	initrd, err := inMemory("initrd", base)
	if err != nil {
		return err
	}
	defer initrd.Close()
	m.initrd = "/dev/fd/3"
	cmd := exec.CommandContext(ctx, o.QEMU.Path, m.arguments()...)
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, &complaints
	cmd.ExtraFiles = []*os.File{initrd}
	ended, err := startTied(cmd)
	if err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	if err := <-ended; err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w: %s", ErrUntestable, err, lastLine(complaints.String()))
	}
	return ctx.Err()
}
