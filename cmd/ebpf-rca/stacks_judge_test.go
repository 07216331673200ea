// SPDX-License-Identifier: Apache-2.0

package main

import (
	"debug/elf"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

// judge tells whether stacks of one program are right. It knows the program's source
// and, for a program without symbols, those of the file it was stripped from.
type judge struct {
	own *regexp.Regexp // the functions of the source
	// injected is that in which the culprit holds the others up.
	injected string
	// library is what else the program's own file holds of libraries; nil: nothing.
	library *regexp.Regexp
	byTwin  bool
	module  string
	twin    *twin
}

// libraries are the files of which frames may lie between a site and the kernel.
var libraries = regexp.MustCompile(`^(libc\.so|libc-|libpthread|libstdc\+\+|libgcc_s|ld-musl|ld-linux)`)

// of is j for a program that was made of full.
func (j judge) of(t testing.TB, program, full string) judge {
	t.Helper()
	j.module = filepath.Base(program)
	if j.byTwin {
		j.twin = readTwin(t, full)
	}
	return j
}

// caller is the function that called into the libraries: the first of the program's
// own, with nothing before it but libraries. It is empty where there is none.
func (j judge) caller(stack contention.Stack) string {
	for i, f := range stack {
		if f.Inlined {
			continue // it has no frame of its own, and may be no call
		}
		name := j.name(stack, i)
		if f.Module == j.module && j.own.MatchString(name) {
			return name
		}
		if !j.isLibrary(f, name) {
			return ""
		}
	}
	return ""
}

func (j judge) isLibrary(f contention.Frame, name string) bool {
	if f.Module == j.module {
		return j.library != nil && j.library.MatchString(name)
	}
	return libraries.MatchString(f.Module)
}

// whole reports whether the stack goes out to entry and was not cut short.
func (j judge) whole(stack contention.Stack, entry string) bool {
	return j.shows(stack, entry) && !slices.ContainsFunc(stack, func(f contention.Frame) bool { return f.Truncated })
}

// shows reports whether a function of the program is on the stack.
func (j judge) shows(stack contention.Stack, function string) bool {
	for i, f := range stack {
		if f.Module == j.module && j.name(stack, i) == function {
			return true
		}
	}
	return false
}

// name is what the frame at i is called, if need be by the twin's symbols.
func (j judge) name(stack contention.Stack, i int) string {
	f := stack[i]
	if f.Function != "" || j.twin == nil || f.Module != j.module {
		return f.Function
	}
	offset := uint64(f.Offset)
	if i > 0 { // a return address: the call is before it
		offset--
	}
	return j.twin.name(offset)
}

// twin is the symbols of a program that was stripped of them afterwards.
type twin struct {
	segments []*elf.Prog
	symbols  []elf.Symbol
}

func readTwin(t testing.TB, path string) *twin {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer f.Close()
	symbols, err := f.Symbols()
	require.NoError(t, err)
	w := &twin{symbols: symbols}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			w.segments = append(w.segments, p)
		}
	}
	return w
}

// name is the function at an offset of the file.
func (w *twin) name(offset uint64) string {
	address, ok := image.VirtualAddress(w.segments, offset)
	if !ok {
		return ""
	}
	for _, s := range w.symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value <= address && address-s.Value < s.Size {
			return s.Name
		}
	}
	return ""
}

func TestJudgeOfStacks(t *testing.T) {
	libc := func(name string) contention.Frame { return contention.Frame{Function: name, Module: "libc.so.6"} }
	own := func(name string) contention.Frame { return contention.Frame{Function: name, Module: "p"} }
	cut := own("waiter_turn")
	cut.Truncated = true
	inlined := own("lock_a")
	inlined.Inlined = true

	plain := judge{own: ownInC, module: "p"}
	static := judge{own: ownInC, module: "p", library: anyName}
	for name, c := range map[string]struct {
		j      judge
		stack  contention.Stack
		caller string
		whole  bool
	}{
		"whole":                     {plain, contention.Stack{libc(""), libc("pthread_mutex_lock"), own("wait_mutex_a"), own("waiter_turn"), own("waiter_thread"), libc("")}, "wait_mutex_a", true},
		"the site is lost":          {plain, contention.Stack{libc(""), own("waiter_turn"), own("waiter_thread")}, "waiter_turn", true},
		"only the C library":        {plain, contention.Stack{libc(""), libc("")}, "", false},
		"empty":                     {plain, nil, "", false},
		"nonsense before the site":  {plain, contention.Stack{libc(""), {Address: 1}, own("wait_mutex_a"), own("waiter_thread")}, "", true},
		"no function of the source": {plain, contention.Stack{libc(""), own("_start"), own("wait_mutex_a")}, "", false},
		"another file's function":   {plain, contention.Stack{libc(""), {Function: "wait_mutex_a", Module: "q"}}, "", false},
		"cut short":                 {plain, contention.Stack{libc(""), own("wait_mutex_a"), own("waiter_thread"), cut}, "wait_mutex_a", false},
		"inlined is no caller":      {plain, contention.Stack{libc(""), inlined, own("wait_mutex_a")}, "wait_mutex_a", false},
		"static":                    {static, contention.Stack{own("__lll_lock_wait"), own("wait_mutex_a"), own("waiter_thread"), own("clone3")}, "wait_mutex_a", true},
		"static without a name":     {static, contention.Stack{own("__lll_lock_wait"), own(""), own("wait_mutex_a")}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.caller, c.j.caller(c.stack))
			assert.Equal(t, c.whole, c.j.whole(c.stack, "waiter_thread"))
		})
	}
}

func TestWhatIsLibraryInAProgram(t *testing.T) {
	for names, of := range map[*regexp.Regexp][2][]string{
		cxxNames: {{"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "void std::lock<std::mutex>()"}, {"wait_mutex_a", "_Z3foov", "main"}},
		rustNames: {
			{"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex4wake", "<std::sys::sync::mutex::futex::Mutex>::wake", "core::ptr::drop_in_place"},
			{"wait_mutex_a", "culprit_turn"},
		},
		goNames: {{"syscall.Syscall6", "internal/runtime/syscall/linux.Syscall6", "runtime.entersyscall"}, {"main.waitPipeA", "main.must"}},
	} {
		for _, name := range of[0] {
			assert.Regexp(t, names, name)
		}
		for _, name := range of[1] {
			assert.NotRegexp(t, names, name)
		}
	}
}

// The offsets of a stripped program mean in its twin what they mean in it.
func TestTwinNamesWhatWasStripped(t *testing.T) {
	i := slices.IndexFunc(stackBuilds, func(b stackBuild) bool { return b.judge.byTwin })
	program, j, missing := stackBuilds[i].make(t)
	if missing != "" {
		t.Skip(missing)
	}
	stripped, err := elf.Open(program)
	require.NoError(t, err)
	defer stripped.Close()
	_, err = stripped.Symbols()
	require.ErrorIs(t, err, elf.ErrNoSymbols)

	site := j.twin.symbols[slices.IndexFunc(j.twin.symbols, func(s elf.Symbol) bool { return s.Name == "wait_mutex_a" })]
	segment := stripped.Progs[slices.IndexFunc(stripped.Progs, func(p *elf.Prog) bool {
		return p.Type == elf.PT_LOAD && p.Vaddr <= site.Value && site.Value < p.Vaddr+p.Memsz
	})]
	start := contention.Address(site.Value - segment.Vaddr + segment.Off)
	end := start + contention.Address(site.Size)
	at := func(offset contention.Address) contention.Frame {
		return contention.Frame{Module: j.module, Offset: offset}
	}
	assert.Equal(t, "wait_mutex_a", j.caller(contention.Stack{at(start)}))
	assert.Equal(t, "wait_mutex_a", j.caller(contention.Stack{{Module: "libc.so.6"}, at(end)}), "a return address")
	assert.Empty(t, j.caller(contention.Stack{at(0)}))
}
