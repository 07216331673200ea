// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/image"
)

const listing = `00400000-00401000 r--p 00000000 fe:01 1234                               /usr/bin/server
00401000-00405000 r-xp 00001000 fe:01 1234                               /usr/bin/server
01c3a000-01c5b000 rw-p 00000000 00:00 0                                  [heap]
7f0000000000-7f0000001000 rw-s 00002000 00:01 77                         /memfd:shared memory (deleted)
7f0000002000-7f0000003000 ---p 00000000 00:00 0 
7f0000003000-7f0000004000 r--s 00000000 103:10fffff 18446744073709551615 /a b/c (deleted) d
7ffc1d5e3000-7ffc1d5e5000 r-xp 00000000 00:00 0                          [vdso]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestReadMaps(t *testing.T) {
	got, err := image.ReadMaps(strings.NewReader(listing))
	require.NoError(t, err)
	disk := unix.Mkdev(0xfe, 1)
	assert.Equal(t, []image.Mapping{
		{Start: 0x400000, End: 0x401000, Permissions: image.Read, Device: disk, Inode: 1234, Path: "/usr/bin/server"},
		{Start: 0x401000, End: 0x405000, Permissions: image.Read | image.Execute, Offset: 0x1000,
			Device: disk, Inode: 1234, Path: "/usr/bin/server"},
		{Start: 0x1c3a000, End: 0x1c5b000, Permissions: image.Read | image.Write, Path: "[heap]"},
		{Start: 0x7f0000000000, End: 0x7f0000001000, Permissions: image.Read | image.Write | image.Shared,
			Offset: 0x2000, Device: 1, Inode: 77, Path: "/memfd:shared memory", Deleted: true},
		{Start: 0x7f0000002000, End: 0x7f0000003000},
		{Start: 0x7f0000003000, End: 0x7f0000004000, Permissions: image.Read | image.Shared,
			Device: unix.Mkdev(0x103, 0x10fffff), Inode: 1<<64 - 1, Path: "/a b/c (deleted) d"},
		{Start: 0x7ffc1d5e3000, End: 0x7ffc1d5e5000, Permissions: image.Read | image.Execute, Path: "[vdso]"},
		{Start: 0xffffffffff600000, End: 0xffffffffff601000, Permissions: image.Execute, Path: "[vsyscall]"},
	}, got)
}

func TestReadMapsRejects(t *testing.T) {
	good := "1000-2000 r-xp 00000000 fe:01 1234 /x"
	_, err := image.ReadMaps(strings.NewReader(good))
	require.NoError(t, err)
	for _, bad := range []string{
		"",
		"1000 r-xp 00000000 fe:01 1234 /x",
		"2000-1000 r-xp 00000000 fe:01 1234 /x",
		"1000-1000 r-xp 00000000 fe:01 1234 /x",
		"g000-2000 r-xp 00000000 fe:01 1234 /x",
		"1000-2000 rwx 00000000 fe:01 1234 /x",
		"1000-2000 xr-p 00000000 fe:01 1234 /x",
		"1000-2000 r-xp 0000000z fe:01 1234 /x",
		"1000-2000 r-xp 00000000 fe01 1234 /x",
		"1000-2000 r-xp 00000000 fe:01 12ab /x",
		"1000-2000 r-xp 00000000 fe:01",
	} {
		t.Run(bad, func(t *testing.T) {
			maps, err := image.ReadMaps(strings.NewReader(good + "\n" + bad + "\n"))
			require.ErrorContains(t, err, "line 2")
			assert.Nil(t, maps)
		})
	}
	broken := errors.New("broken")
	_, err = image.ReadMaps(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestFind(t *testing.T) {
	maps, err := image.ReadMaps(strings.NewReader(listing))
	require.NoError(t, err)
	tests := []struct {
		address uint64
		want    string
		ok      bool
	}{
		{0, "", false},
		{0x3fffff, "", false},
		{0x400000, "server", true},
		{0x404fff, "server", true},
		{0x405000, "", false},
		{0x7f0000000abc, "memfd:shared memory", true},
		{0x7f0000001000, "", false},
		{0x7f0000002000, "", true},
		{0x7ffc1d5e4fff, "[vdso]", true},
		{0xffffffffff600fff, "[vsyscall]", true},
		{0xffffffffff601000, "", false},
		{0xffffffffffffffff, "", false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%#x", tt.address), func(t *testing.T) {
			m, ok := image.Find(maps, tt.address)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, m.Name())
		})
	}
	_, ok := image.Find(nil, 0x400000)
	assert.False(t, ok)
}

func TestMappingOfThisProcess(t *testing.T) {
	maps, err := image.OpenMaps(os.Getpid())
	require.NoError(t, err)
	m, ok := image.Find(maps, uint64(reflect.ValueOf(TestFind).Pointer()))
	require.True(t, ok)
	assert.Equal(t, image.Read|image.Execute, m.Permissions)
	assert.True(t, m.IsFile())

	var stat syscall.Stat_t
	require.NoError(t, syscall.Stat("/proc/self/exe", &stat))
	assert.Equal(t, stat.Ino, m.Inode)
}

func TestOpenMapsOfNoProcess(t *testing.T) {
	_, err := image.OpenMaps(1 << 30)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOpenMapsOfAnExitedProcess(t *testing.T) {
	cmd := exec.Command("true")
	require.NoError(t, cmd.Start())
	// Wait for the exit and leave the zombie.
	require.NoError(t, unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
	maps, err := image.OpenMaps(cmd.Process.Pid)
	require.NoError(t, err)
	assert.Empty(t, maps)
	require.NoError(t, cmd.Wait())
}

// format renders m as the kernel does.
func format(m image.Mapping) string {
	path := m.Path
	if m.Deleted {
		path += " (deleted)"
	}
	return fmt.Sprintf("%08x-%08x %v %08x %02x:%02x %d %s\n", m.Start, m.End, m.Permissions, m.Offset,
		unix.Major(m.Device), unix.Minor(m.Device), m.Inode, path)
}

func FuzzReadMaps(f *testing.F) {
	f.Add([]byte(listing))
	f.Add([]byte("1-2 ---p 0 0:0 0"))
	f.Add([]byte("0-ffffffffffffffff rwxs 0 ffffffff:ffffffff 0   / (deleted) (deleted)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		maps, err := image.ReadMaps(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again strings.Builder
		for _, m := range maps {
			again.WriteString(format(m))
		}
		reread, err := image.ReadMaps(strings.NewReader(again.String()))
		require.NoError(t, err)
		require.Equal(t, maps, reread)
		for _, m := range maps {
			require.True(t, m.Contains(m.Start))
			require.False(t, m.Contains(m.End))
		}
	})
}
