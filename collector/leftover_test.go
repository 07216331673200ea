// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/stretchr/testify/require"
)

// ids are what an observation has in the kernel.
type ids struct {
	programs []ebpf.ProgramID
	maps     []ebpf.MapID
	links    []link.ID
}

func idsOf(t *testing.T, a *attachment) (all ids) {
	t.Helper()
	for _, p := range a.objects.Programs {
		info, err := p.Info()
		require.NoError(t, err)
		id, _ := info.ID()
		all.programs = append(all.programs, id)
	}
	for _, m := range a.objects.Maps {
		info, err := m.Info()
		require.NoError(t, err)
		id, _ := info.ID()
		all.maps = append(all.maps, id)
	}
	for _, l := range a.links {
		info, err := l.Info()
		require.NoError(t, err)
		all.links = append(all.links, info.ID)
	}
	require.NotEmpty(t, all.programs)
	require.NotEmpty(t, all.maps)
	require.NotEmpty(t, all.links)
	return all
}

// awaitFreed waits until none is left: the kernel frees in its own time.
func awaitFreed(t *testing.T, all ids) {
	t.Helper()
	for _, id := range all.programs {
		poll(t, "end of a program", func() bool { return gone(ebpf.NewProgramFromID(id)) })
	}
	for _, id := range all.maps {
		poll(t, "end of a map", func() bool { return gone(ebpf.NewMapFromID(id)) })
	}
	for _, id := range all.links {
		poll(t, "end of a link", func() bool { return gone(link.NewFromID(id)) })
	}
}

func gone[T interface{ Close() error }](object T, err error) bool {
	if err == nil {
		_ = object.Close()
	}
	return errors.Is(err, os.ErrNotExist)
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1")
	o, err := Observe(p.pid, Options{Cost: true})
	require.NoError(t, err)
	observed := idsOf(t, o.attachment)
	require.NoError(t, o.Close())
	awaitFreed(t, observed)

	c, err := NewLockCollector()
	require.NoError(t, err)
	sampled := idsOf(t, c.attachment)
	require.NoError(t, c.Close())
	awaitFreed(t, sampled)
}

func TestNothingIsLeftAfterKill(t *testing.T) {
	needBPF(t)
	p := startTarget(t, "sleep", "1")
	cmd := rerun(t, nil, "observe-long", strconv.Itoa(p.pid))
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	var left ids
	for _, word := range strings.Fields(line) {
		id, err := strconv.ParseUint(word, 10, 32)
		require.NoError(t, err, line)
		left.programs = append(left.programs, ebpf.ProgramID(id))
		require.False(t, gone(ebpf.NewProgramFromID(ebpf.ProgramID(id))))
	}
	require.GreaterOrEqual(t, len(left.programs), 5)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	awaitFreed(t, left)
}

// What could not be set up leaves nothing either.
func TestNothingIsLeftAfterFailure(t *testing.T) {
	needBPF(t)
	before := openFiles()
	for range 3 {
		p := startTarget(t, "hogs")
		for _, tid := range threadsOf(t, p.pid) {
			if int(tid) != p.pid {
				_, err := Observe(int(tid), Options{})
				require.ErrorIs(t, err, ErrNoProcess)
			}
		}
		p.end()
	}
	require.LessOrEqual(t, openFiles(), before+2)
}
