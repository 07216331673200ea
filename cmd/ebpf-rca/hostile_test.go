// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What diagnose may cost, whatever the program that it watches says of itself.
const (
	hostileCPU    = 10 * time.Second
	hostileWall   = 20 * time.Second
	hostileMemory = 250 << 20
	// hostileSpan is how long each is watched.
	hostileSpan = 2 * time.Second
	// hostileLife is how long a program runs that is to outlive that.
	hostileLife = 30 * time.Second
)

// hostileCase makes a program that runs and is hostile, and returns how diagnose is told
// of it.
type hostileCase struct {
	name  string
	stage func(t *testing.T, build func(name string) string) (target []string)
}

// Files that lie, and files that change or are taken away, cost bounded memory and
// time, and what can still be known is told.
func TestHostileTargets(t *testing.T) {
	needRoot(t)
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	build := hostileBuilds(t)
	product(t)
	// Several at once, for most of the time all wait.
	for cases := range slices.Chunk(hostileCases(), 4) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			var watches []*hostileWatch
			for _, c := range cases {
				watches = append(watches, watchHostile(t, c.stage(t, build)))
			}
			for i, w := range watches {
				t.Run(cases[i].name, w.check)
			}
		})
	}
}

func hostileCases() []hostileCase {
	var cases []hostileCase
	for _, name := range slices.Sorted(maps.Keys(forgeries)) {
		cases = append(cases, hostileCase{name, func(t *testing.T, build func(string) string) []string {
			return []string{"-p", itoa(startHostile(t, forged(t, build, name)))}
		}})
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		cases = append(cases, hostileCase{name, func(t *testing.T, build func(string) string) []string {
			f, program := forge(t, build("target")), filepath.Join(t.TempDir(), "target")
			headers[name](f)
			f.writeRaw(t, program)
			return []string{"-p", itoa(startHostile(t, program))}
		}})
	}
	for _, name := range slices.Sorted(maps.Keys(upheavals)) {
		cases = append(cases, hostileCase{name, func(t *testing.T, build func(string) string) []string {
			library := filepath.Join(t.TempDir(), "target.so")
			copyFile(t, build("target.so"), library)
			pid := startHostile(t, build("target"), library)
			upheavals[name](t, library)
			return []string{"-p", itoa(pid)}
		}})
	}
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		cases = append(cases, hostileCase{name, func(t *testing.T, build func(string) string) []string {
			root := t.TempDir()
			copyFile(t, build("target-static"), filepath.Join(root, "target"))
			require.NoError(t, os.Mkdir(filepath.Join(root, "tmp"), 0o755))
			pid := startHostileIn(t, root)
			roots[name](t, root, pid)
			return []string{"-p", itoa(pid)}
		}})
	}
	return append(cases, hostileCase{"a command", func(t *testing.T, build func(string) string) []string {
		return []string{"--", forged(t, build, "debug information in circles"), wholeSeconds(hostileLife)}
	}})
}

func forged(t *testing.T, build func(string) string, forgery string) (program string) {
	t.Helper()
	dir := t.TempDir()
	f := forge(t, build("target"))
	forgeries[forgery](t, f, dir)
	program = filepath.Join(dir, "target")
	f.write(t, program)
	return program
}

// upheavals are what may happen to a library while it runs.
var upheavals = map[string]func(t *testing.T, library string){
	"cut off behind its code": func(t *testing.T, library string) {
		f := forge(t, library)
		require.NoError(t, os.Truncate(library, int64(f.section(".comment").Off)))
	},
	"replaced by a folder": func(t *testing.T, library string) {
		require.NoError(t, os.Remove(library))
		require.NoError(t, os.Mkdir(library, 0o755))
	},
	"replaced by a FIFO": func(t *testing.T, library string) {
		require.NoError(t, os.Remove(library))
		require.NoError(t, syscall.Mkfifo(library, 0o600))
	},
	"replaced by another": func(t *testing.T, library string) {
		require.NoError(t, os.Remove(library))
		hole(t, library, []byte(elfMagic), 10<<30)
	},
	"changed all the time": func(t *testing.T, library string) {
		f := forge(t, library)
		at := int64(f.section(".comment").Off)
		out, err := os.OpenFile(library, os.O_WRONLY, 0)
		require.NoError(t, err)
		changed, done := f.body[at:], make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			defer out.Close()
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
					junk := bytes.Repeat([]byte{byte(i)}, 64)
					_, _ = out.WriteAt(changed, at)
					_, _ = out.WriteAt(junk, at+int64(i*61%max(1, len(changed)-64)))
				}
			}
		})
		t.Cleanup(func() { close(done); writer.Wait() })
	},
}

const elfMagic = "\x7fELF\x02\x01\x01"

// roots are what may lie in the root directory of a program, which has its own.
var roots = map[string]func(t *testing.T, root string, pid int){
	"debug files that are links in circles": func(t *testing.T, root string, _ int) {
		id := buildID(t, filepath.Join(root, "target"))
		dir := filepath.Join(root, "usr/lib/debug/.build-id", id[:2])
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.Symlink(id[2:]+".debug", filepath.Join(dir, id[2:]+".debug")))
	},
	"debug files that are FIFOs": func(t *testing.T, root string, _ int) {
		id := buildID(t, filepath.Join(root, "target"))
		dir := filepath.Join(root, "usr/lib/debug/.build-id", id[:2])
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, id[2:]+".debug"), 0o600))
	},
	"a perf map of a gigabyte": func(t *testing.T, root string, pid int) {
		hole(t, perfMapIn(root, pid), nil, 1<<30)
	},
	"a perf map of entries inside each other": func(t *testing.T, root string, pid int) {
		require.NoError(t, os.WriteFile(perfMapIn(root, pid), overlappingMap(1<<20), 0o644))
	},
	"a perf map that is a FIFO": func(t *testing.T, root string, pid int) {
		require.NoError(t, syscall.Mkfifo(perfMapIn(root, pid), 0o644))
	},
}

func perfMapIn(root string, pid int) string {
	return filepath.Join(root, "tmp", "perf-"+itoa(pid)+".map")
}

// hostileBuilds returns where the program that is to be forged is, in three builds: a
// program, one that needs no file, and a library.
func hostileBuilds(t *testing.T) func(name string) string {
	t.Helper()
	dir := filepath.Join(shelf, "hostile")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, flags := range map[string][]string{
		"target":        {"-ldl"},
		"target-static": {"-DSTATIC", "-static"},
		"target.so":     {"-DLIBRARY", "-shared", "-fPIC"},
	} {
		args := []string{"-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-Wl,--build-id",
			"-o", filepath.Join(dir, name), "testdata/hostile/target.c"}
		out, err := exec.Command("cc", append(args, flags...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func buildID(t *testing.T, path string) string {
	t.Helper()
	s := forge(t, path)
	note := s.section(".note.gnu.build-id")
	const before = 16 // three words and "GNU"
	return hexOf(s.body[note.Off+before : note.Off+note.Size])
}

func hexOf(b []byte) string {
	var out strings.Builder
	for _, x := range b {
		out.WriteString(strconv.FormatUint(uint64(x)>>4, 16) + strconv.FormatUint(uint64(x)&15, 16))
	}
	return out.String()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, data, 0o755))
}

func wholeSeconds(d time.Duration) string { return itoa(int(d.Seconds())) }

// startHostile starts a program of testdata/hostile, which waits when this returns.
func startHostile(t *testing.T, program string, args ...string) int {
	t.Helper()
	return awaitReady(t, exec.Command(program, append([]string{wholeSeconds(hostileLife)}, args...)...))
}

// startHostileIn starts the program that lies in a folder, which is its root directory.
func startHostileIn(t *testing.T, root string) int {
	t.Helper()
	cmd := exec.Command("/target", wholeSeconds(hostileLife))
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	return awaitReady(t, cmd)
}

func awaitReady(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return cmd.Process.Pid
}

// hostileWatch is the command at work.
type hostileWatch struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{} // what follows is known
	err            error
	took           time.Duration
	memory         int64
}

// watchHostile starts the command as it is built for use.
func watchHostile(t *testing.T, target []string) *hostileWatch {
	t.Helper()
	w := &hostileWatch{ended: make(chan struct{})}
	w.cmd = exec.Command(product(t), append([]string{"diagnose", "--json", "-d", hostileSpan.String()}, target...)...)
	w.cmd.Stdout, w.cmd.Stderr = &w.stdout, &w.stderr
	begin := time.Now()
	require.NoError(t, w.cmd.Start())
	peak := make(chan int64)
	go func() { peak <- peakMemory(w.cmd.Process.Pid, func() { _ = w.cmd.Process.Kill() }) }()
	go func() {
		w.err = w.cmd.Wait()
		w.took, w.memory = time.Since(begin), <-peak
		close(w.ended)
	}()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		<-w.ended
	})
	return w
}

// check holds the command to its bounds.
func (w *hostileWatch) check(t *testing.T) {
	<-w.ended
	cpu := w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
	t.Logf("%v, of it %v on a CPU, %d MB", w.took.Round(time.Millisecond), cpu.Round(time.Millisecond), w.memory>>20)
	require.NoError(t, w.err, w.stderr.String())
	assert.NotContains(t, w.stderr.String(), "panic")
	assert.NotContains(t, w.stderr.String(), "goroutine")
	assert.Less(t, cpu, hostileCPU)
	assert.Less(t, w.took, hostileWall)
	assert.NotZero(t, w.memory)
	assert.Less(t, w.memory, int64(hostileMemory))
	list := diagnoses(t, w.stdout.String())
	require.Len(t, list, 1)
	assert.NotZero(t, seenWaits(list[0]))
}

var buildProduct sync.Once

// product is the command as it is built for use. The test binary will not do: it may
// have the race detector in it, which takes many times the memory.
func product(t *testing.T) string {
	t.Helper()
	path := filepath.Join(shelf, "product")
	buildProduct.Do(func() {
		out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, ".").CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
	return path
}

// peakMemory is the most memory that a process had, as of when it was last seen. The
// usage that wait(2) tells of begins with that of this process, which started it. One
// that takes far too much is stopped before it takes the machine with it.
func peakMemory(pid int, stop func()) (peak int64) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		text, err := os.ReadFile(procPath(pid, "status"))
		if err != nil {
			return peak
		}
		kilobytes, ok := number(strings.ReplaceAll(string(text), " kB", ""), "VmHWM")
		if !ok {
			return peak
		}
		if peak = max(peak, int64(kilobytes)<<10); peak > 2*hostileMemory {
			stop()
		}
	}
	return peak
}
