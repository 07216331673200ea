// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArguments(t *testing.T) {
	m := machine{kernel: "/k", initrd: "/dev/fd/3", accel: TCG, cpus: 2, memory: 1024, console: "/out,1/console", messages: 4, extra: "threadirqs"}
	line := strings.Join(m.arguments(), " ")
	assert.Contains(t, line, "-accel tcg,thread=single -cpu max -smp 2 -m 1024")
	assert.Contains(t, line, "-chardev file,id=console,path=/out,,1/console -serial chardev:console")
	assert.Contains(t, line, "-chardev socket,id=messages,fd=4 -serial chardev:messages")
	assert.Contains(t, line, "clocksource=tsc threadirqs")

	m.accel, m.console, m.messages = KVM, "", 0
	line = strings.Join(m.arguments(), " ")
	assert.Contains(t, line, "-accel kvm -cpu host")
	assert.Contains(t, line, "-chardev stdio,id=console,signal=off")
	assert.NotContains(t, line, "socket")
}

func TestFindQEMUSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := FindQEMU(t.Context())
	require.ErrorIs(t, err, ErrNoQEMU)
	assert.ErrorContains(t, err, "install qemu-system-x86")
}
