// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"os"
	"testing"

	"github.com/cilium/ebpf/features"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// since reports whether this kernel is of a version or later.
func since(t testing.TB, major, minor uint32) bool {
	t.Helper()
	version, err := features.LinuxVersionCode()
	require.NoError(t, err)
	return version>>8 >= major<<8|minor
}

// needBPF skips a test where there is no privilege, unless that was promised.
func needBPF(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_BPF") != "1" {
		t.Skip("needs root")
	}
}
