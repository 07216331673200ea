// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func itoa(n int) string { return strconv.Itoa(n) }

func hold(t *testing.T, stderr *bytes.Buffer, args ...string) *program {
	t.Helper()
	p, err := startHeldBack(args, stderr)
	require.NoError(t, err)
	return p
}

func TestProgramIsHeldBack(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	var stderr bytes.Buffer
	p := hold(t, &stderr, "touch", mark)
	assert.Equal(t, "touch", commOf(p.pid), "it has taken its place")
	assert.NoFileExists(t, mark)
	require.NoError(t, p.release())
	<-p.ended
	p.stop()
	assert.FileExists(t, mark)
	assert.NoDirExists(t, procPath(p.pid, ""), "it is reaped")
}

func TestProgramThatIsNeverReleased(t *testing.T) {
	var stderr bytes.Buffer
	p := hold(t, &stderr, "echo", "never")
	p.stop()
	assert.Empty(t, stderr.String())
	assert.NoDirExists(t, procPath(p.pid, ""))
}

// sayPID has a shell print a process id of its and go on to do a thing.
func sayPID(t *testing.T, script string) (pid func() int, run string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pid")
	pid = func() int {
		var n int
		poll(t, "process id", func() bool {
			text, _ := os.ReadFile(file)
			n, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			return n > 0
		})
		return n
	}
	return pid, strings.ReplaceAll(script, "SAY", "echo >"+file)
}

func TestProgramAndItsChildrenAreEnded(t *testing.T) {
	child, script := sayPID(t, `sleep 1000 & SAY $!; wait`)
	p := hold(t, &bytes.Buffer{}, "sh", "-c", script)
	require.NoError(t, p.release())
	pid := child()
	begin := time.Now()
	p.stop()
	assert.Less(t, time.Since(begin), leaveTime, "they did as they were asked")
	poll(t, "end of the child", func() bool { return !runs(pid) })
}

// The first process has ended when the others are to.
func TestChildrenOfAnEndedProgramAreEnded(t *testing.T) {
	child, script := sayPID(t, `sleep 1000 & SAY $!`)
	p := hold(t, &bytes.Buffer{}, "sh", "-c", script)
	require.NoError(t, p.release())
	<-p.ended
	pid := child()
	assert.True(t, runs(pid))
	p.stop()
	poll(t, "end of the child", func() bool { return !runs(pid) })
}

func TestProgramThatIgnoresTheRequest(t *testing.T) {
	ready, script := sayPID(t, `trap "" TERM; SAY $$; while :; do sleep 0.05; done`)
	p := hold(t, &bytes.Buffer{}, "sh", "-c", script)
	require.NoError(t, p.release())
	pid := ready()
	begin := time.Now()
	p.stop()
	assert.GreaterOrEqual(t, time.Since(begin), leaveTime)
	assert.Less(t, time.Since(begin), leaveTime+2*time.Second)
	assert.False(t, runs(pid))
}

func TestStatFields(t *testing.T) {
	assert.Equal(t, []string{"S", "1", "7"}, statFields("42 (a) Z (b) S 1 7\n"), "a name may hold anything")
	assert.True(t, hasEnded(statFields("42 (a) Z 1 7")))
	assert.False(t, hasEnded(statFields("42 (Z) S 1 7")))
	assert.True(t, hasEnded(nil))
}
