// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func TestHaveOthers(t *testing.T) {
	if os.Getenv("HAVE_OTHERS") == "no" {
		assert.ErrorIs(t, image.HaveOthers(), os.ErrPermission)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	require.NoError(t, image.HaveOthers())
	self, err := os.Open("/proc/self/exe") // nobody may not find it by its path
	require.NoError(t, err)
	defer self.Close()
	nobody := exec.Command("/proc/self/fd/3", "-test.run", "^TestHaveOthers$")
	nobody.ExtraFiles = []*os.File{self}
	nobody.Dir = "/"
	nobody.Env = append(os.Environ(), "HAVE_OTHERS=no")
	nobody.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := nobody.CombinedOutput()
	require.NoError(t, err, string(out))
}
