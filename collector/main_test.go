// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// deadline is how long a test waits for what must come.
const deadline = 20 * time.Second

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && runAs[os.Args[1]] != nil {
		os.Exit(runAs[os.Args[1]]())
	}
	before := openFiles()
	code := m.Run()
	removeTargets()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	// The poller of the Go runtime keeps descriptors of its own once it is used.
	if after := openFiles(); code == 0 && after > before+2 {
		fmt.Fprintf(os.Stderr, "%d descriptors were open before the tests and %d are after\n", before, after)
		code = 1
	}
	os.Exit(code)
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// needBPF skips a test where there is no privilege, unless that was promised.
func needBPF(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("REQUIRE_BPF") != "1" {
		t.Skip("needs root")
	}
}

// poll asks again and again until done says yes.
func poll(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !done(); {
		require.True(t, time.Now().Before(end), "no %s within %v", what, deadline)
		time.Sleep(time.Millisecond)
	}
}
