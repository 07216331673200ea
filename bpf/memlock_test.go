// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The limit is raised as far as it may be: to none, or to what the hard one allows.
func TestRaiseLockedMemory(t *testing.T) {
	var before, after unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_MEMLOCK, &before))
	low := unix.Rlimit{Cur: 0, Max: before.Max}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_MEMLOCK, &low))
	require.NoError(t, raiseLockedMemory())
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_MEMLOCK, &after))
	assert.Equal(t, after.Max, after.Cur)
	assert.GreaterOrEqual(t, after.Max, before.Max)
}
