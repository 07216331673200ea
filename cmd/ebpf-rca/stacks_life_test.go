// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/collector"
	"github.com/os2026/ebpf-rca/contention"
)

const (
	// settled is how long a process is observed, and a library loaded, before all floors
	// of a build hold.
	settled = time.Second
	// freshFloor is of the stacks in a library's first second: most, less those of the
	// moment in which its rules are read.
	freshFloor = 0.8
)

// life builds a program of testdata/stacks from one source.
func life(t *testing.T, name, source string, flags ...string) string {
	t.Helper()
	dir := filepath.Join(shelf, "stacks")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file := filepath.Join(dir, name)
	compileStacks(t, "cc", append(flags, "-O2", "-o", file, filepath.Join(stackSources, source)))
	return file
}

// gradeLife holds each walk's trace to the same floors as a build.
func gradeLife(t *testing.T, traces []*contention.Trace, parts cast, j judge) {
	t.Helper()
	for i, trace := range traces {
		walk := stackWalks[i]
		c := tallyStacks(trace, parts, j)
		t.Logf("%s: waiters %v of %d, releasers %v of %d, whole %v, guessed %v, cut short %v, loss %+v", walk.name,
			c.waiters, c.waiters.of, c.releasers, c.releasers.of, c.whole, c.guessed, c.truncated, c.loss)
		for _, wrong := range c.wrong {
			t.Logf("%s: %s", walk.name, wrong)
		}
		assert.GreaterOrEqual(t, c.waiters.of, enoughStacks)
		assert.GreaterOrEqual(t, c.releasers.of, enoughStacks)
		if walk.graded {
			assertRight(t, c)
		}
	}
}

// A thousand children that live some milliseconds each have as good stacks as one
// process that lives long.
func TestStacksOfShortLives(t *testing.T) {
	needRoot(t)
	program := life(t, "forks", "forks.c")
	p := startPlay(t, program)
	parts := p.cast(t)
	seen := observeAll(t, p.pid)
	_, err := io.WriteString(p.stdin, "g")
	require.NoError(t, err)
	seen.during(t, settled)

	begin := collector.Now()
	require.Equal(t, "done", p.line(t))
	j := judge{own: regexp.MustCompile(`^(main|live|(un)?lock_table|(read|write)_done)$`), module: filepath.Base(program)}
	gradeLife(t, seen.cut(t, begin), parts, j)
}

// A library that is loaded while the process is observed is soon as good as one that
// was there before.
func TestStacksOfALateLibrary(t *testing.T) {
	needRoot(t)
	library := life(t, "late.so", "stacks.c", "-shared", "-fPIC", "-DPLAY=play_in_library")
	p := startPlay(t, life(t, "late", "late.c"), library, "mutex")
	began := time.Now()
	seen := observeAll(t, p.pid)
	parts := p.cast(t) // the first line comes from the library
	require.GreaterOrEqual(t, time.Since(began), settled-100*time.Millisecond, "the library came late")

	j := judge{own: ownInC, module: filepath.Base(library)}
	for i, trace := range seen.during(t, settled) {
		c := tallyStacks(trace, parts, j)
		right := c.waiters.plus(c.releasers)
		t.Logf("%s, first second: %v of %d, whole %v, loss %+v", stackWalks[i].name, right, right.of, c.whole, c.loss)
		if stackWalks[i].graded {
			assert.GreaterOrEqual(t, right.value(), freshFloor)
			assert.GreaterOrEqual(t, c.whole.value(), freshFloor)
		}
	}
	gradeLife(t, seen.during(t, settled), parts, j)
}
