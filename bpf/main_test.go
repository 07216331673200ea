// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// needBPF skips a test where there is no privilege, unless that was promised.
func needBPF(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_BPF") != "1" {
		t.Skip("needs root")
	}
}
