// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// part is what a thread of a program in testdata/stacks plays, as its first line says.
type part struct {
	TID     int    `json:"tid"` // 0: every thread there is
	Culprit bool   `json:"culprit"`
	Entry   string `json:"entry"` // the outermost function of the program's own
	// Waits and Releases are the functions from which alone the thread calls what
	// waits and what lets go.
	Waits    []string `json:"waits"`
	Releases []string `json:"releases"`
}

// cast is the parts of a program by tid.
type cast map[int]part

// of is the part of a thread, if it has one.
func (c cast) of(tid int) (part, bool) {
	p, ok := c[tid]
	if !ok {
		p, ok = c[0]
	}
	return p, ok
}

// culprit is who holds the others up.
func (c cast) culprit() part {
	for _, p := range c {
		if p.Culprit {
			return p
		}
	}
	return part{}
}

// play is a program of testdata/stacks that runs. It ends by a byte on its standard
// input or the input's end, and in any case after a minute.
type play struct {
	pid   int
	stdin io.WriteCloser
	lines *bufio.Reader
}

// startPlay starts a program, which is killed when the test ends.
func startPlay(t testing.TB, program string, args ...string) *play {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &play{pid: cmd.Process.Pid, stdin: stdin, lines: bufio.NewReader(stdout)}
}

// startPlays starts a shell that plays one act after the other, each until the next is
// called for.
func startPlays(t testing.TB, program string, acts []string) *play {
	t.Helper()
	const inTurn = `for act; do "$0" "$act" || exit; done`
	return startPlay(t, "sh", append([]string{"-c", inTurn, program}, acts...)...)
}

// next ends what is played.
func (p *play) next(t testing.TB) {
	t.Helper()
	_, err := io.WriteString(p.stdin, "n")
	require.NoError(t, err)
}

// cast reads the program's first line.
func (p *play) cast(t testing.TB) cast {
	t.Helper()
	var said struct {
		Threads []part `json:"threads"`
	}
	require.NoError(t, json.Unmarshal([]byte(p.line(t)), &said))
	require.NotEmpty(t, said.Threads)
	c := make(cast)
	for _, thread := range said.Threads {
		c[thread.TID] = thread
	}
	require.Len(t, c, len(said.Threads), "tids are unique")
	return c
}

func (p *play) line(t testing.TB) string {
	t.Helper()
	line, err := p.lines.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}
