// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestNameCalled(t *testing.T) {
	code := []byte{0x90, 0x90, 0x90, 0x90, 0xe8, 0x10, 0, 0, 0, 0x90, 0xff, 0xd0} // call +0x10; nop; call *%rax
	name := func(at uint64) string {
		assert.Equal(t, uint64(9+0x10), at)
		return "sem_wait@plt"
	}
	assert.Equal(t, "sem_wait", nameCalled(bytes.NewReader(code), 9, name))
	assert.Empty(t, nameCalled(bytes.NewReader(code), 12, name), "not by name")
	assert.Empty(t, nameCalled(bytes.NewReader(code), 4, name), "before the code begins")
}

// The C library's own symbols are not always there; what a program calls is.
func TestObserveWhatJumpsToAnInnerFunction(t *testing.T) {
	needBPF(t)
	p := startCommand(t, exec.Command(compile(t, "jumps")))
	w := observe(t, p.pid, Options{})
	for name, kind := range map[string]contention.Kind{"semaphore": contention.Semaphore, "join": contention.Join} {
		var wait contention.Wait
		poll(t, "open wait for a "+name, func() bool {
			trace := w.look()
			for _, wait = range trace.Waits {
				if uint64(wait.Thread.TID) == p.said[name] && wait.Open() {
					return true
				}
			}
			return false
		})
		assert.Equal(t, kind, wait.Resource.Kind, name)
	}
}
