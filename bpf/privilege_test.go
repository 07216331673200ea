// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestPermission(t *testing.T) {
	denied := fmt.Errorf("load: %w", os.ErrPermission)
	require.ErrorIs(t, permission(denied), os.ErrPermission)
	require.ErrorContains(t, permission(denied), "CAP_BPF and CAP_PERFMON, or root")

	refused := fmt.Errorf("load: %w", &ebpf.VerifierError{Cause: syscall.EACCES, Log: []string{"R1 pointer |= pointer prohibited"}})
	require.NotErrorIs(t, permission(refused), os.ErrPermission, "privilege would not help")
	require.ErrorContains(t, permission(refused), "prohibited")

	require.ErrorIs(t, permission(ErrNotSupported), ErrNotSupported)
}

func TestSufficient(t *testing.T) {
	with := func(capabilities ...int) (sets [2]unix.CapUserData) {
		for _, c := range capabilities {
			sets[c/32].Effective |= 1 << (c % 32)
		}
		return sets
	}
	assert.False(t, sufficient(with()))
	assert.False(t, sufficient(with(unix.CAP_BPF)))
	assert.False(t, sufficient(with(unix.CAP_PERFMON, unix.CAP_NET_ADMIN)))
	assert.True(t, sufficient(with(unix.CAP_BPF, unix.CAP_PERFMON)))
	assert.True(t, sufficient(with(unix.CAP_SYS_ADMIN)))
	permitted := with(unix.CAP_SYS_ADMIN)
	permitted[0].Permitted, permitted[0].Effective = permitted[0].Effective, 0
	assert.False(t, sufficient(permitted), "held and not in effect")
}
