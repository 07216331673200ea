// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func shell(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }

func TestChild(t *testing.T) {
	cmd := shell("echo said; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
	var said bytes.Buffer
	cmd.Stdout = &said
	c, err := Start(cmd)
	require.NoError(t, err)
	require.NoError(t, c.Wait())
	assert.Equal(t, "said\n", said.String())
	assert.Positive(t, c.CPU())
	c.Kill()
	c.Signal(syscall.SIGTERM) // which nobody gets
}

func TestChildThatFails(t *testing.T) {
	c, err := Start(shell("echo no  such >&2; echo lock >&2; exit 3"))
	require.NoError(t, err)
	require.EqualError(t, c.Wait(), "exit status 3: no such lock")
	_, err = Start(exec.Command("/no/such/program"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "start /no/such/program: ")
}

// What a program leaves behind in its group ends with it.
func TestChildLeavesNothing(t *testing.T) {
	for name, end := range map[string]func(*Child){
		"killed": (*Child).Kill,
		"ended":  func(c *Child) { c.Signal(syscall.SIGTERM); <-c.Ended() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := shell("sleep 1000 & echo $!; wait")
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			cmd.Stdout = w
			c, err := Start(cmd)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			out := bufio.NewReader(r)
			line, err := out.ReadString('\n')
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)
			group, err := syscall.Getpgid(pid)
			require.NoError(t, err)
			require.Equal(t, c.PID(), group)
			end(c)
			require.Error(t, c.Wait())
			_, err = out.ReadString('\n')
			require.Error(t, err, "nobody holds the pipe any more")
		})
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var kept tail
	for range 10 {
		_, err := kept.Write(bytes.Repeat([]byte("x"), lastWords/3))
		require.NoError(t, err)
	}
	_, err := kept.Write([]byte("end"))
	require.NoError(t, err)
	assert.Len(t, kept.String(), lastWords)
	assert.True(t, strings.HasSuffix(kept.String(), "xend"))
}
