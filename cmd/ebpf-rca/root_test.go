// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"bogus"}, `there is no command "bogus"`},
		{[]string{"--bogus"}, "--bogus"},
		{[]string{"list", "--bogus"}, "--bogus"},
		{[]string{"list", "x"}, "list takes 0 arguments, not 1"},
		{[]string{"describe"}, "describe takes 1 scenario, not 0"},
		{[]string{"describe", "mutex-nope"}, `there is no such scenario`},
		{[]string{"version", "x"}, "version takes 0 arguments"},
		{[]string{"doctor", "x"}, "doctor takes 0 arguments"},
		{[]string{"score"}, "score takes 1 result folder, not 0"},
		{[]string{"score", "/nonexistent"}, "not a result folder"},
		{[]string{"compare", "one"}, "two folders or more, or one with --against, not 1"},
		{[]string{"compare", "/nonexistent", "/nonexistent"}, "not a result folder"},

		{[]string{"diagnose"}, "-p PID, or -- CMD"},
		{[]string{"diagnose", "--"}, "-p PID, or -- CMD"},
		{[]string{"diagnose", "-p", "x"}, `"x"`},
		{[]string{"diagnose", "-p", "-1"}, "a pid is a positive number"},
		{[]string{"diagnose", "-p", "1", "--", "ls"}, "exclude each other"},
		{[]string{"diagnose", "1234"}, "did you mean -p 1234?"},
		{[]string{"diagnose", "-p", "1", "-d", "0"}, "--duration 0s"},
		{[]string{"diagnose", "-p", "1", "-d", "-1s"}, "--duration -1s"},
		{[]string{"diagnose", "-p", "1", "--interval", "-1s"}, "--interval -1s"},
		{[]string{"diagnose", "-p", "1", "--interval", "1ns"}, "the shortest is 100ms"},
		{[]string{"diagnose", "-p", "1", "--min-share", "0"}, "--min-share 0"},
		{[]string{"diagnose", "-p", "1", "--min-share", "1.1"}, "--min-share 1.1"},
		{[]string{"diagnose", "-p", "1", "--min-share", "NaN"}, "--min-share NaN"},
		{[]string{"diagnose", "-p", "1", "--budget", "-1"}, "--budget -1"},
		{[]string{"diagnose", "-p", "1", "--budget", "NaN"}, "--budget NaN"},
		{[]string{"diagnose", "-p", "1", "--budget", "0.5"}, "--budget 0.5"},
		{[]string{"diagnose", "-p", "1", "--folded", "/"}, "it is a folder"},
		{[]string{"diagnose", "-p", "1", "--pprof", "/nonexistent/x"}, "there is no folder /nonexistent"},
		{[]string{"diagnose", "-p", "1", "--capture", "/nonexistent/x"}, "there is no folder /nonexistent"},
		{[]string{"diagnose", "-p", "999999999"}, "there is no process 999999999"},
		{[]string{"diagnose", "--", "no-such-program"}, `start "no-such-program"`},
		{[]string{"diagnose", "--", "/etc/passwd"}, "permission denied"},

		{[]string{"replay"}, "replay takes a capture or more, not 0"},
		{[]string{"replay", "/nonexistent"}, "no such file"},
		{[]string{"replay", "--min-share", "0", "x"}, "--min-share 0: it lies between 0 and 1"},
		{[]string{"replay", "--analyzer", "guess", "x"}, "--analyzer guess: there are rca, "},
		{[]string{"replay", "--analyzer", "random", "--min-share", "0.1", "x"}, "--analyzer is random"},

		{[]string{"run", "x"}, `run takes no "x"`},
		{[]string{"run", "--run", "("}, "missing closing )"},
		{[]string{"run", "--run", "no-such-scenario"}, "no scenario is selected"},
		{[]string{"run", "--count", "0"}, "--count 0"},
		{[]string{"run", "--seed", "-1"}, "-1"},
		{[]string{"run", "--analyzer", "guess"}, "--analyzer guess: there are rca, "},
		{[]string{"run", "--analyzer", ""}, "--analyzer names none"},
		{[]string{"run", "--resume", "x", "--out", "y"}, "--out and --resume exclude each other"},
		{[]string{"run", "--resume", "x", "--count", "5"}, "--count and --resume exclude each other"},
		{[]string{"run", "--resume", "/nonexistent"}, "not a result folder"},
		{[]string{"export"}, "export takes 1 result folder, not 0"},
		{[]string{"export", "x", "--format", "pdf"}, "--format pdf: there are bench, junit, "},
		{[]string{"export", "x", "--analyzer", "rca"}, "go with --format"},
		{[]string{"export", "x", "--format", "perfetto"}, "--run INDEX goes with --format perfetto"},
		{[]string{"export", "x", "--format", "junit", "--run", "1"}, "--run INDEX goes with --format perfetto"},
		{[]string{"export", "/nonexistent"}, "not a result folder"},
		{[]string{"overhead", "x"}, "overhead takes 0 arguments, not 1"},
		{[]string{"overhead", "--pairs", "0"}, "--pairs 0: it lies between 1 and 1000"},
		{[]string{"overhead", "--duration", "1ms"}, "--duration 1ms: it lies between 10ms and 1m0s"},
		{[]string{"overhead", "--workload", "work"}, "--workload work: there are futex-pingpong, "},
		{[]string{"overhead", "--workload", ""}, "--workload names none"},
		{[]string{"overhead", "--observer", "me"}, "--observer me: there are none, empty, "},
		{[]string{"overhead", "--limit", "3"}, "--limit goes with --gate"},
		{[]string{"overhead", "--gate", "--limit", "-1"}, "--limit -1"},
		{[]string{"overhead", "--gate", "--limit", "NaN"}, "--limit NaN"},
		{[]string{"overhead", "--gate", "--limit", "inf"}, "--limit +Inf"},
		{[]string{"overhead", "--gate", "--observer", "default"}, "--observer leaves out empty"},
		{[]string{"overhead", "--gate", "--workload", "mutex-crowd"}, "but futex-pingpong 3, pipe-pingpong 2"},
		{[]string{"run", "--shard", "5/4"}, "shard 5/4: want I/N with I from 1 to N"},
		{[]string{"run", "--resume", "x", "--shard", "1/4"}, "--shard and --resume exclude each other"},
		{[]string{"run", "--rerun", "1"}, "--resume names it"},
		{[]string{"matrix"}, "matrix takes --kernel SPEC"},
		{[]string{"matrix", "x"}, `matrix takes no "x"; --kernel names kernels`},
		{[]string{"matrix", "--kernel", "6.1"}, "matrix takes --out DIR"},
		{[]string{"matrix", "--kernel", "6.1", "--resume", "x"}, "--kernel and --resume exclude each other"},
		{[]string{"matrix", "--resume", "x", "--append", "nosmt"}, "--append and --resume exclude each other"},
		{[]string{"matrix", "--resume", "x", "--count", "2"}, "--count and --resume exclude each other"},
		{[]string{"matrix", "--resume", "/nonexistent"}, "no such file"},
		{[]string{"matrix", "--kernel", "6", "--out", "x"}, "want a series as 6.1"},
		{[]string{"matrix", "--kernel", "./nonexistent", "--out", "x"}, "no such file"},
		{[]string{"matrix", "--kernel", "6.1,6.12", "--shell"}, "take one --kernel"},
		{[]string{"matrix", "--kernel", "6.1", "--out", "x", "--accel", "xen"}, "--accel xen: there are auto, kvm and tcg"},
		{[]string{"matrix", "--kernel", "6.1", "--out", "x", "--jobs", "0"}, "--jobs 0"},
		{[]string{"matrix", "--kernel", "6.1", "--out", "x", "--memory", "64"}, "--memory 64: a guest has its file system in memory and needs 384 at least"},
		{[]string{"matrix", "--kernel", "6.1", "--shell"}, "standard input is no terminal"},
		{[]string{"matrix", "--kernel", "6.1", "--out", "x", "--run-timeout", "0s"}, "--run-timeout 0s"},
		{[]string{"matrix", "--kernel", "6.1", "--out", "x", "--analyzer", "peer:offcputime"}, "tools of others are not in the guests"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			r := do(t, test.args...)
			assert.Equal(t, exitUsage, r.code)
			assert.Contains(t, r.stderr, test.says)
			assert.Equal(t, 1, strings.Count(r.stderr, "ebpf-rca: "), "said once: %s", r.stderr)
			assert.Empty(t, r.stdout)
		})
	}
}

func TestMisuseNamesTheHelp(t *testing.T) {
	assert.Contains(t, do(t, "diagnose").stderr, "'ebpf-rca diagnose --help'")
	assert.NotContains(t, do(t, "diagnose", "-p", "999999999").stderr, "--help", "the flags were right")
}

func TestEveryCommandHasHelp(t *testing.T) {
	var names []string
	for _, c := range newRoot().Commands() {
		if c.Hidden { // what a guest runs
			continue
		}
		names = append(names, c.Name())
		assert.NotEmpty(t, c.Short, c.Name())
		r := do(t, c.Name(), "--help")
		assert.Equal(t, exitGood, r.code)
		assert.Empty(t, r.stderr)
		_, examples, _ := strings.Cut(r.stdout, "Examples:\n")
		assert.Contains(t, examples, "ebpf-rca "+c.Name(), "an example of %s", c.Name())
		for line := range strings.Lines(r.stdout) {
			assert.LessOrEqual(t, len([]rune(line)), 160, line)
		}
	}
	assert.Subset(t, names, []string{"list", "describe", "doctor", "run", "diagnose", "replay", "score", "merge", "export", "compare", "version"})
}

func TestNoCommandShowsTheHelp(t *testing.T) {
	r := do(t)
	assert.Equal(t, exitGood, r.code)
	assert.Contains(t, r.stdout, "sudo ebpf-rca diagnose -p 1234")
	assert.Contains(t, r.stdout, "Exit codes: 0 good; 1")
}

// failing is a writer on which every write fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	full := failing{syscall.ENOSPC}
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"describe", "mutex-hold"}, {"version"}} {
		var stderr bytes.Buffer
		assert.Equal(t, exitInfra, run(t.Context(), args, full, &stderr), args)
		assert.Contains(t, stderr.String(), "no space left")
	}
}

func TestReaderThatHasHadEnough(t *testing.T) {
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(syscall.EPIPE))
	var stderr bytes.Buffer
	assert.Equal(t, exitPipe, run(t.Context(), []string{"list"}, w, &stderr))
	assert.Empty(t, stderr.String())
}

func TestErrorsAreOneLine(t *testing.T) {
	e := errors.Join(errors.New("one"), errors.New("two"))
	var stderr bytes.Buffer
	assert.Equal(t, exitInfra, run(context.Background(), []string{"list"}, failing{e}, &stderr))
	assert.Equal(t, "ebpf-rca: one; two\n", stderr.String())
}
