// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func TestOpenInRoot(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", link))

	f, err := image.OpenInRoot(os.Getpid(), link, 0)
	require.NoError(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))

	_, err = image.OpenInRoot(os.Getpid(), link, syscall.O_NOFOLLOW)
	require.ErrorIs(t, err, syscall.ELOOP)
	_, err = image.OpenInRoot(os.Getpid(), dir, 0)
	require.ErrorIs(t, err, fs.ErrInvalid)
	_, err = image.OpenInRoot(os.Getpid(), file+"x", 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// The links of another root directory are followed inside it.
func TestOpenInAnotherRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs CAP_SYS_CHROOT")
	}
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "passwd"), []byte("inside"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(root, "etc"), 0o700))
	require.NoError(t, os.Symlink("/passwd", filepath.Join(root, "etc", "passwd")))
	require.NoError(t, os.Symlink("../../../../../../../../../etc/passwd", filepath.Join(root, "up")))
	sleep := staticSleep(t, root)
	cmd := exec.Command("/" + filepath.Base(sleep))
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { in.Close(); _ = cmd.Wait() }()

	for _, name := range []string{"/etc/passwd", "/up"} {
		f, err := image.OpenInRoot(cmd.Process.Pid, name, 0)
		require.NoError(t, err)
		text, err := io.ReadAll(f)
		f.Close()
		require.NoError(t, err)
		assert.Equal(t, "inside", string(text))
	}
}

// staticSleep builds a program in dir that waits until its input is closed.
func staticSleep(t *testing.T, dir string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	path := filepath.Join(dir, "wait")
	source := filepath.Join(t.TempDir(), "wait.c")
	require.NoError(t, os.WriteFile(source, []byte("#include <stdio.h>\nint main(void) { return getchar(); }\n"), 0o600))
	out, err := exec.Command(compiler, "-static", "-o", path, source).CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}
