// SPDX-License-Identifier: Apache-2.0

package unwind_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/unwind"
)

// The stacks of programs that wait in a known place are walked to their ends.
func TestWalk(t *testing.T) {
	builds := map[string][]string{
		"dynamic":          {"-O2"},
		"unoptimised":      {"-O0"},
		"no frame pointer": {"-O2", "-fomit-frame-pointer"},
		"frame pointer":    {"-O2", "-fno-omit-frame-pointer"},
		"O3":               {"-O3"},
		"static":           {"-O2", "-static"},
		"debug_frame":      {"-O2", "-g", "-fno-asynchronous-unwind-tables"},
	}
	for name, flags := range builds {
		t.Run(name, func(t *testing.T) {
			path := unwind.Build(t, flags...)
			t.Run("call", func(t *testing.T) {
				w := start(t, path).walk(pause)
				assert.Equal(t, []string{"innermost", "middle", "outer", "main"}, w.named())
				assert.Equal(t, unwind.End, w.last)
			})
			t.Run("signal", func(t *testing.T) {
				w := start(t, path, "signal").walk(pause)
				assert.Equal(t, []string{"innermost", "middle", "interrupted", "main"}, w.named())
				assert.Equal(t, unwind.End, w.last)
			})
			t.Run("thread", func(t *testing.T) {
				w := start(t, path, "in", "thread").walk(pause)
				assert.Equal(t, []string{"innermost", "middle", "outer"}, w.named())
				assert.Equal(t, unwind.End, w.last)
			})
		})
	}
}

// The C library musl has no unwind information, so behind main, where it begins, there
// is nothing to end the search.
func TestWalkByScanning(t *testing.T) {
	compiler, err := exec.LookPath("musl-gcc")
	if err != nil {
		t.Skip("no musl-gcc")
	}
	path := unwind.BuildWith(t, compiler, "-O2", "-static")
	named := start(t, path).walk(pause).named()
	require.GreaterOrEqual(t, len(named), 4)
	assert.Equal(t, []string{"innermost", "middle", "outer", "main"}, named[:4])
	named = start(t, path, "signal").walk(pause).named()
	require.GreaterOrEqual(t, len(named), 4)
	assert.Equal(t, []string{"innermost", "middle", "interrupted", "main"}, named[:4])
}

func TestWalkGo(t *testing.T) {
	for _, linking := range []string{"internal", "external"} {
		t.Run(linking, func(t *testing.T) {
			if _, err := exec.LookPath("cc"); err != nil && linking == "external" {
				t.Skip("no C compiler")
			}
			path := unwind.BuildGo(t, nil, "-ldflags=-linkmode="+linking)
			p := start(t, path)
			w := p.walk(pause)
			want := []string{"main.innermost", "main.middle", "main.outer", "main.main", "runtime.main", "runtime.goexit"}
			require.GreaterOrEqual(t, len(w.functions), len(want), w.functions)
			assert.Equal(t, want, w.functions[len(w.functions)-len(want):])
			assert.Equal(t, unwind.End, w.last)

			idle := p.walk(futex)
			assert.Equal(t, unwind.End, idle.last, idle.functions)
		})
	}
}

// System calls that threads wait in.
const (
	pause = unix.SYS_PAUSE
	futex = unix.SYS_FUTEX
)

type program struct {
	t    *testing.T
	pid  int
	maps []image.Mapping
}

// start runs a program until the test ends.
func start(t *testing.T, path string, args ...string) *program {
	t.Helper()
	cmd := exec.Command(path, args...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &program{t: t, pid: cmd.Process.Pid}
}

// waiting returns a thread that waits in the system call.
func (p *program) waiting(call int) int {
	p.t.Helper()
	prefix := strconv.Itoa(call) + " "
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", p.pid))
		require.NoError(p.t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if os.IsPermission(err) {
				p.t.Skip(err)
			}
			if strings.HasPrefix(string(text), prefix) {
				tid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
				require.NoError(p.t, err)
				return tid
			}
		}
	}
	require.Fail(p.t, "no thread waits", "in system call %d", call)
	return 0
}

// registers stops a thread for long enough to read them.
func (p *program) registers(tid int) unwind.Registers {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceSeize(tid); err != nil {
		p.t.Skipf("ptrace: %v", err)
	}
	require.NoError(p.t, unix.PtraceInterrupt(tid))
	var status unix.WaitStatus
	_, err := unix.Wait4(tid, &status, unix.WALL, nil)
	require.NoError(p.t, err)
	var regs unix.PtraceRegs
	require.NoError(p.t, unix.PtraceGetRegs(tid, &regs))
	require.NoError(p.t, unix.PtraceDetach(tid))
	return unwind.Registers{PC: regs.Rip, SP: regs.Rsp, FP: regs.Rbp}
}

type walk struct {
	functions []string
	last      unwind.Kind // rule of the outermost frame
}

// named returns those functions that are in the program's source.
func (w walk) named() []string {
	known := []string{"innermost", "middle", "outer", "interrupted", "main"}
	return slices.DeleteFunc(slices.Clone(w.functions), func(f string) bool { return !slices.Contains(known, f) })
}

// walk walks the stack of a thread that waits in the system call.
func (p *program) walk(call int) walk {
	p.t.Helper()
	tid := p.waiting(call)
	maps, err := image.OpenMaps(p.pid)
	require.NoError(p.t, err)
	p.maps = maps
	files := map[string]*file{}
	regs, exact := p.registers(tid), true
	w := walk{}
	for range 64 {
		rule := unwind.Rule{}
		name := "?"
		if m, ok := image.Find(maps, regs.PC); ok && m.IsFile() {
			if files[m.Path] == nil {
				files[m.Path] = p.open(m)
			}
			name, rule = files[m.Path].look(m.FileOffset(regs.PC), !exact)
		}
		if rule.Kind == unwind.Unknown {
			rule = p.guess(regs)
		}
		w.functions, w.last = append(w.functions, name), rule.Kind
		caller, ok := rule.Step(regs, p.word)
		if !ok {
			return w
		}
		regs, exact = caller, rule.Kind == unwind.Signal
	}
	require.Fail(p.t, "a stack without end", w.functions)
	return w
}

// guess finds the caller of code without rules.
func (p *program) guess(regs unwind.Registers) unwind.Rule {
	if unwind.SignalReturn(p.bytes(regs.PC, 16)) {
		return unwind.Rule{Kind: unwind.Signal}
	}
	rule, _ := unwind.Scan(regs.SP, 1024, p.word, func(address uint64) bool {
		m, ok := image.Find(p.maps, address)
		if !ok || m.Permissions&image.Execute == 0 {
			return false
		}
		called, _, _ := unwind.BehindCall(p.bytes(address-unwind.LongestCall, unwind.LongestCall))
		return called
	})
	return rule
}

func (p *program) word(address uint64) (uint64, bool) {
	b := p.bytes(address, 8)
	if b == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

func (p *program) bytes(address uint64, n int) []byte {
	memory, err := image.OpenMemory(p.pid)
	require.NoError(p.t, err)
	defer memory.Close()
	b := make([]byte, n)
	if _, err := memory.ReadAt(b, int64(address)); err != nil {
		return nil
	}
	return b
}

type file struct {
	table     *unwind.Table
	outline   *elf.File
	functions []elf.Symbol
}

func (p *program) open(m image.Mapping) *file {
	data, err := os.ReadFile(m.Path)
	require.NoError(p.t, err)
	f := &file{}
	f.outline, err = elf.NewFile(bytes.NewReader(data))
	require.NoError(p.t, err)
	f.functions, _ = f.outline.Symbols() // there may be none
	f.functions = slices.DeleteFunc(f.functions, func(s elf.Symbol) bool { return elf.ST_TYPE(s.Info) != elf.STT_FUNC })
	f.table, err = unwind.Read(bytes.NewReader(data), int64(len(data)))
	require.NoError(p.t, err)
	return f
}

// look returns the function and the rule at an offset of the file.
func (f *file) look(offset uint64, returnAddress bool) (string, unwind.Rule) {
	vaddr, ok := image.VirtualAddress(f.outline.Progs, offset)
	if !ok {
		return "?", unwind.Rule{}
	}
	rule := f.table.Rule(vaddr, returnAddress)
	if returnAddress {
		vaddr--
	}
	for _, s := range f.functions {
		if s.Value <= vaddr && vaddr-s.Value < s.Size {
			return strings.TrimSuffix(s.Name, ".abi0"), rule
		}
	}
	return "?", rule
}
