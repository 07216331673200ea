// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestUsedByThisProcess(t *testing.T) {
	before, err := UsedBy(os.Getpid())
	require.NoError(t, err)
	for i := 0; ; i++ {
		after, err := UsedBy(os.Getpid())
		require.NoError(t, err)
		if after.CPU > before.CPU {
			break
		}
	}
	_, err = UsedBy(4<<20 + 1) // no kernel has such a pid
	require.ErrorContains(t, err, "CPU time of process 4194305")
}

func TestForgetPeak(t *testing.T) {
	const much = 64 << 20
	memory, err := unix.Mmap(-1, 0, much, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	require.NoError(t, err)
	high, err := UsedBy(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, high.RSSBytes, uint64(much))
	require.NoError(t, unix.Munmap(memory))
	require.NoError(t, ForgetPeak())
	now, err := UsedBy(os.Getpid())
	require.NoError(t, err)
	assert.Less(t, now.RSSBytes, high.RSSBytes-much/2)
	assert.Positive(t, now.RSSBytes)
}

func TestParsePeak(t *testing.T) {
	got, err := parsePeak([]byte("Name:\tebpf-rca\nVmPeak:\t 1234 kB\nVmHWM:\t   40960 kB\nVmRSS:\t 100 kB\n"))
	require.NoError(t, err)
	assert.Equal(t, uint64(40<<20), got)
	for _, text := range []string{"", "Name:\tkthreadd\n", "VmHWM:\t many kB\n", "VmHWM:\t 18446744073709551615 kB\n"} {
		_, err := parsePeak([]byte(text))
		require.Error(t, err, text)
	}
}

func FuzzParsePeak(f *testing.F) {
	f.Add([]byte("VmHWM:\t   40960 kB\n"))
	f.Fuzz(func(t *testing.T, status []byte) {
		if bytes, err := parsePeak(status); err == nil && bytes%1024 != 0 {
			t.Errorf("%q: %d", status, bytes)
		}
	})
}
