// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	for _, l := range All(shelf) {
		p, ours := l.(program)
		if !ours {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			built(t, p.name)
			took := do(t, p)
			if p.name == "mutex-crowd" {
				assert.Zero(t, took.P99, "nothing is answered")
				return
			}
			assert.Positive(t, took.P99)
			assert.Less(t, took.P99, took.Wall)
		})
	}
}

// The sources and the list name the same programs.
func TestEveryProgramIsListed(t *testing.T) {
	var listed, sources []string
	for _, l := range All("") {
		if p, ours := l.(program); ours {
			listed = append(listed, p.name)
		}
	}
	files, err := filepath.Glob("programs/*.c")
	require.NoError(t, err)
	for _, file := range files {
		sources = append(sources, strings.TrimSuffix(filepath.Base(file), ".c"))
	}
	assert.ElementsMatch(t, sources, listed)
}

// The process that is watched is not the one that works, nor does it start it.
func TestUnrelatedSwitchesWatchesAnother(t *testing.T) {
	built(t, "unrelated-switches")
	run, err := program{name: "unrelated-switches", dir: shelf}.Start(t.Context(), 1000)
	require.NoError(t, err)
	defer run.Close()
	worker := run.(*programRun).child.PID()
	assert.NotEqual(t, worker, run.PID())
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", run.PID()))
	require.NoError(t, err)
	assert.Contains(t, string(stat), fmt.Sprintf(" %d ", worker), "the watched is the child")
	run.Close()
	assert.Eventually(t, func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", run.PID()))
		return os.IsNotExist(err)
	}, 10*time.Second, time.Millisecond)
}

func TestProgramsThatMisbehave(t *testing.T) {
	for name, test := range map[string]struct{ script, start, do string }{
		"ends at once":  {"echo no memory >&2; exit 1", `hear "ready": EOF: exit status 1: no memory`, ""},
		"has no pid":    {"echo ready soon; read x", `"soon" is no process to watch`, ""},
		"says nonsense": {"echo hello; read x", `hear "ready": it says "hello\n"`, ""},
		"ends early":    {"echo ready $$; read x; echo begin; echo gone >&2; exit 3", "", `do load: hear "end": EOF: exit status 3: gone`},
		"tells no time": {"echo ready $$; read x; echo begin; echo end cpu_ns=5 wall_ns=7", "", "there is no p99_ns"},
		"tells nothing": {"echo ready $$; read x; echo begin; echo end cpu_ns=0 wall_ns=7 p99_ns=0", "", "it took no time"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program{name: "load", dir: fake(t, "load", test.script)}
			source, err := p.Open(t.Context())
			require.NoError(t, err)
			run, err := source.Start(t.Context(), 3)
			if test.start != "" {
				require.ErrorContains(t, err, test.start)
				return
			}
			require.NoError(t, err)
			defer run.Close()
			_, err = run.Do(t.Context(), func() {})
			require.ErrorContains(t, err, test.do)
		})
	}
}

func TestProgramEndsWithTheContext(t *testing.T) {
	p := program{name: "load", dir: fake(t, "load", "echo ready $$; read x; echo begin; sleep 1000")}
	run, err := p.Start(t.Context(), 3)
	require.NoError(t, err)
	defer run.Close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = run.Do(ctx, cancel)
	require.ErrorIs(t, err, context.Canceled)
}

func TestParseTook(t *testing.T) {
	took, err := parseTook("cpu_ns=328436515 wall_ns=330048359 p99_ns=10119")
	require.NoError(t, err)
	assert.Equal(t, Took{CPU: 328436515, Wall: 330048359, P99: 10119}, took)
	for _, text := range []string{"", "cpu_ns=1 wall_ns=2", "cpu_ns=x wall_ns=2 p99_ns=3", "cpu_ns=-1 wall_ns=2 p99_ns=3"} {
		_, err := parseTook(text)
		require.Error(t, err, text)
	}
}

func FuzzParseTook(f *testing.F) {
	f.Add("cpu_ns=328436515 wall_ns=330048359 p99_ns=10119")
	f.Fuzz(func(t *testing.T, text string) {
		took, err := parseTook(text)
		if err == nil && (took.CPU <= 0 || took.Wall <= 0 || took.P99 < 0) {
			t.Errorf("%q: %v", text, took)
		}
	})
}
