// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// diagnoses reads what diagnose --json has printed.
func diagnoses(t testing.TB, stdout string) []diagnosis {
	t.Helper()
	var list []diagnosis
	for d := json.NewDecoder(strings.NewReader(stdout)); d.More(); {
		var one diagnosis
		require.NoError(t, d.Decode(&one))
		list = append(list, one)
	}
	return list
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func functions(stack contention.Stack) []string {
	var names []string
	for _, f := range stack {
		names = append(names, f.Function)
	}
	return names
}

func TestDiagnoseNamesTheCulprit(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 3)
	r := do(t, "diagnose", "--json", "-d", "1500ms", "-p", itoa(p.pid))
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	tid, _ := culprit(t, p.truth(t))
	list := diagnoses(t, r.stdout)
	require.Len(t, list, 1)
	d := list[0]
	assert.Equal(t, diagnosisSchema, d.Schema)
	assert.Equal(t, target{p.pid, "mutex-hold"}, d.Target)
	assert.Equal(t, kernelRelease(), d.Kernel)
	assert.InDelta(t, 1.5, d.Window.Seconds(), 0.5)
	require.NotEmpty(t, d.Findings)
	f := d.Findings[0]
	assert.Equal(t, contention.LockHolder, f.Class)
	require.NotNil(t, f.Culprit)
	assert.Equal(t, tid, f.Culprit.TID)
	assert.Equal(t, p.pid, f.Culprit.PID)
	assert.Equal(t, contention.Mutex, f.Resource.Kind)
	assert.Greater(t, f.Share, 0.8)
	require.NotEmpty(t, f.Stacks)
	assert.Contains(t, functions(f.Stacks[0].Frames), "hold_sleeping")
	require.Len(t, f.Victims, 4)
	assert.Contains(t, functions(f.Victims[0].Stack), "update_entry")
	assert.Equal(t, d.Totals.WaitTime, d.Totals.Blame+d.Totals.External+d.Totals.Open)
	assert.Len(t, lockHolders(d), 1)
}

func TestDiagnoseOnTheScreenAndInFiles(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	folded, pprof, seen := filepath.Join(dir, "folded"), filepath.Join(dir, "pprof"), filepath.Join(dir, "seen.cap.zst")
	r := do(t, "diagnose", "-p", itoa(p.pid), "-d", "1s", "--folded", folded, "--pprof", pprof, "--capture", seen)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Regexp(t, `^process \d+ \(mutex-hold\), watched for 1\.\d\d s on kernel`, r.stdout)
	assert.Regexp(t, `\nThreads waited \S+ s for each other; w\d \(thread \d+\) answers for \d+ % of it\.\n`, r.stdout)
	assert.Regexp(t, `\n1\. w\d \(thread \d+\) holds mutex table\+0x0`, r.stdout)
	assert.Contains(t, r.stdout, "       hold_sleeping  ")
	assert.NotContains(t, r.stdout, "\x1b", "no colour where nobody looks")

	text, err := os.ReadFile(folded)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^w\d \(thread \d+\);.*;hold_sleeping;.* \d+$`, string(text))
	data, err := os.Open(pprof)
	require.NoError(t, err)
	defer data.Close()
	profiled, err := profile.Parse(data)
	require.NoError(t, err)
	assert.NotEmpty(t, profiled.Sample)
	assert.Equal(t, r, do(t, "replay", seen), "the same again, of what was seen")
}

func TestDiagnoseByIntervals(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	begin := time.Now()
	r := do(t, "diagnose", "--json", "-p", itoa(p.pid), "-d", "1500ms", "--interval", "400ms")
	took := time.Since(begin)
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Equal(t, strings.Count(r.stdout, "\n"), len(diagnoses(t, r.stdout)), "each on a line")
	list := diagnoses(t, r.stdout)
	assert.GreaterOrEqual(t, len(list), 2, "one may come late, when symbols are read")
	assert.LessOrEqual(t, len(list), 4)
	var sum time.Duration
	for _, d := range list {
		sum += d.Window
		require.NotEmpty(t, d.Findings)
		assert.Equal(t, "w", d.Findings[0].Culprit.Comm[:1])
		assert.Equal(t, d.Totals.WaitTime, d.Totals.Blame+d.Totals.External+d.Totals.Open)
		// Five threads cannot wait longer than the window lasts, each.
		assert.LessOrEqual(t, d.Totals.ByKind[contention.Mutex].WaitTime, 5*d.Window, "nothing is counted twice")
	}
	assert.GreaterOrEqual(t, sum, 1500*time.Millisecond, "the windows leave no gap")
	assert.LessOrEqual(t, sum, took, "nor do they overlap")
}

func TestDiagnoseOfACommand(t *testing.T) {
	needRoot(t)
	begin := time.Now()
	r := do(t, "diagnose", "--json", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
	assert.Equal(t, exitGood, r.code, "how the command ends is not ours to judge")
	assert.Less(t, time.Since(begin), 5*time.Second, "it ends when the command does")
	assert.Equal(t, "out\nerr\n", r.stderr)
	list := diagnoses(t, r.stdout)
	require.Len(t, list, 1, "standard output is ours alone")
	assert.Equal(t, "sh", list[0].Target.Comm)
	accused, _ := split(list[0].Findings)
	assert.Empty(t, accused)
}

// A program that waits at once and not again: 300 ms for a mutex. It lives on until its
// maps have been read; what ends before may stay without names.
func TestDiagnoseFromTheFirstInstruction(t *testing.T) {
	needRoot(t)
	source := filepath.Join(t.TempDir(), "early.c")
	program := strings.TrimSuffix(source, ".c")
	require.NoError(t, os.WriteFile(source, []byte(`
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }
__attribute__((noinline)) static void first_hold(void) { usleep(300000); __asm__ volatile(""); }
int main(void) { pthread_t t; pthread_mutex_lock(&m); pthread_create(&t, 0, other, 0); first_hold(); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }
`), 0o644))
	out, err := exec.Command("cc", "-O1", "-pthread", "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	r := do(t, "diagnose", "--json", "--", program)
	require.Equal(t, exitGood, r.code, r.stderr)
	d := diagnoses(t, r.stdout)[0]
	require.NotEmpty(t, d.Findings)
	f := d.Findings[0]
	assert.Equal(t, d.Target.PID, f.Culprit.TID)
	assert.InDelta(t, 0.3, f.Blame.Seconds(), 0.1)
}

func TestDiagnoseOfACommandThatForks(t *testing.T) {
	needRoot(t)
	child, script := sayPID(t, "SAY $$; exec sleep 1000")
	r := do(t, "diagnose", "--json", "-d", "500ms", "--", "sh", "-c", "sh -c '"+script+"' & wait")
	require.Equal(t, exitGood, r.code, r.stderr)
	pid := child()
	assert.NotEqual(t, diagnoses(t, r.stdout)[0].Target.PID, pid)
	assert.False(t, runs(pid), "what the command has started is ended too")

	r = do(t, "diagnose", "--json", "-d", "500ms", "--no-children", "--", "sh", "-c", "sleep 1000 & wait")
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Zero(t, diagnoses(t, r.stdout)[0].Totals.ByKind[contention.Timer].Waits, "the child's sleep is left out")
}

func TestDiagnoseOfACommandThatIgnoresTheRequest(t *testing.T) {
	needRoot(t)
	pid, script := sayPID(t, `trap "" TERM; SAY $$; while :; do sleep 0.05; done`)
	begin := time.Now()
	r := do(t, "diagnose", "-d", "300ms", "--", "sh", "-c", script)
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Greater(t, time.Since(begin), leaveTime)
	assert.False(t, runs(pid()))
}

func TestDiagnoseEndsEarly(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := command(t, "diagnose", "--json", "-p", itoa(p.pid), "-d", "10m", "--interval", "300ms")
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := json.NewDecoder(stdout)
		var d diagnosis
		require.NoError(t, lines.Decode(&d), "the first window")
		require.NoError(t, cmd.Process.Signal(signal))
		var last diagnosis
		for lines.More() {
			require.NoError(t, lines.Decode(&last))
		}
		require.NoError(t, cmd.Wait(), "exit code 0 after %v", signal)
		assert.NotEmpty(t, d.Findings, "of a whole window")
		assert.NotZero(t, last.Window, "it still reports, however short the rest was")
	}
	assert.True(t, runs(p.pid), "the process is as it was")
}

func TestDiagnoseEndsEarlyWithTheContext(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr bytes.Buffer
	first := writerFunc(func(b []byte) (int, error) {
		time.AfterFunc(500*time.Millisecond, cancel)
		return stdout.Write(b)
	})
	code := run(ctx, []string{"diagnose", "--json", "-p", itoa(p.pid), "-d", "10m", "--interval", "1s"}, first, &stderr)
	require.Equal(t, exitGood, code, stderr.String())
	list := diagnoses(t, stdout.String())
	require.GreaterOrEqual(t, len(list), 2)
	last := list[len(list)-1]
	assert.NotEmpty(t, last.Findings)
	assert.Less(t, last.Window, time.Second, "it ended before its time")

	// Before it has begun; the context has ended already.
	stdout.Reset()
	assert.Equal(t, exitGood, run(ctx, []string{"diagnose", "--json", "-p", itoa(p.pid)}, &stdout, &stderr))
	assert.Len(t, diagnoses(t, stdout.String()), 1)
}

func TestDiagnoseOfAProcessThatEnds(t *testing.T) {
	needRoot(t)
	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	cmd := command(t, "diagnose", "--json", "-p", itoa(p.pid), "-d", "10m", "--interval", "500ms")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := json.NewDecoder(stdout)
	var d diagnosis
	require.NoError(t, lines.Decode(&d), "the first window")
	assert.Empty(t, d.Notes)
	require.NoError(t, p.cmd.Process.Kill())
	for lines.More() {
		require.NoError(t, lines.Decode(&d))
	}
	require.NoError(t, cmd.Wait(), "exit code 0, and long before its time")
	require.Len(t, d.Notes, 1)
	assert.Contains(t, d.Notes[0], "process "+itoa(p.pid)+" ended while it was watched")
}

func TestDiagnoseOfWhatCannotBeWatched(t *testing.T) {
	needRoot(t)
	own := do(t, "diagnose", "-p", itoa(os.Getpid()))
	assert.Equal(t, exitUsage, own.code)
	assert.Contains(t, own.stderr, "does not watch itself")

	dead := exec.Command("true")
	require.NoError(t, dead.Start())
	defer func() { _ = dead.Wait() }()
	poll(t, "end of the process", func() bool { return !runs(dead.Process.Pid) })
	zombie := do(t, "diagnose", "-p", itoa(dead.Process.Pid))
	assert.Equal(t, exitUsage, zombie.code)
	assert.Contains(t, zombie.stderr, "has ended")

	p := perform(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), 1)
	threads, err := os.ReadDir(procPath(p.pid, "task"))
	require.NoError(t, err)
	thread := do(t, "diagnose", "-p", threads[len(threads)-1].Name())
	assert.Equal(t, exitUsage, thread.code)
	assert.Contains(t, thread.stderr, "is a thread of process "+itoa(p.pid))
}

// A report that nobody reads to its end leaves nothing behind.
func TestDiagnoseIntoAClosedPipe(t *testing.T) {
	needRoot(t)
	child, script := sayPID(t, "sleep 1000 & SAY $!; wait")
	cmd := command(t, "diagnose", "--interval", "100ms", "-d", "1m", "--", "sh", "-c", script)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	pid := child()
	require.NoError(t, stdout.Close())
	require.Error(t, cmd.Wait())
	assert.Equal(t, exitPipe, cmd.ProcessState.ExitCode())
	poll(t, "end of the child", func() bool { return !runs(pid) })
}

func TestDiagnoseOfANameThatIsNoText(t *testing.T) {
	needRoot(t)
	program := filepath.Join(t.TempDir(), "a\xff\x1b[2Jb")
	require.NoError(t, os.Symlink("/bin/sleep", program))
	r := do(t, "diagnose", "-d", "200ms", "--", program, "1000")
	require.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stdout, "(a\ufffd\ufffd[2Jb)")
	r = do(t, "diagnose", "--json", "-d", "200ms", "--", program, "1000")
	assert.Len(t, diagnoses(t, r.stdout), 1)
}
