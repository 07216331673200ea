// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// TestMain plays a workload when the test binary is started by the name of one, and
// otherwise runs the tests, which leave nothing behind.
func TestMain(m *testing.M) {
	if play, ok := fakes()[filepath.Base(os.Args[0])]; ok {
		play()
		exit(0)
	}
	goleak.VerifyTestMain(m)
}
