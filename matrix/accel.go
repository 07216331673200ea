// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// tryKVM is how long the first guest may take to come up under KVM, which takes one or
// two seconds where it works.
const tryKVM = 30 * time.Second

// choose finds out what guests run on. That the kernel offers KVM does not say that it
// can run them: within a virtual machine it may fail at the first instruction. So the
// first kernel is booted under it.
func (o Options) choose(ctx context.Context, kernels []Kernel, base []byte) (Accel, error) {
	if o.Accel != "" || len(kernels) == 0 {
		return o.Accel, nil
	}
	if !HasKVM() {
		return TCG, nil
	}
	dir, err := os.MkdirTemp("", "ebpf-rca-kvm-")
	if err != nil {
		return "", fmt.Errorf("try KVM: %w", err)
	}
	defer os.RemoveAll(dir)
	m := o.machine(kernels[0], KVM, filepath.Join(dir, "console"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e, err := o.QEMU.boot(ctx, m, base, patience{boot: tryKVM, run: tryKVM}, firstWord{cancel})
	switch {
	case e.booted != nil:
		return KVM, nil
	case err != nil:
		return "", fmt.Errorf("try KVM: %w", err)
	default:
		o.tell(Event{Kernel: kernels[0], Note: "KVM is here, but a guest does not come up under it, so it is emulated: " + e.reason})
		return TCG, nil
	}
}

// firstWord ends a guest at its first word.
type firstWord struct{ end func() }

func (firstWord) started(int) {}

func (f firstWord) take(Message) error {
	f.end()
	return nil
}

func (o Options) machine(k Kernel, accel Accel, console string) machine {
	return machine{kernel: k.Image, accel: accel, cpus: o.CPUs, memory: o.Memory, console: console, extra: o.Append}
}

// pack makes the part of the first file system that all guests have.
func (o Options) pack() ([]byte, error) {
	var archive bytes.Buffer
	if err := o.Payload.Write(&archive); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}

func (o Options) tell(e Event) {
	if o.Progress != nil {
		o.Progress(e)
	}
}
