// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const stackSources = "testdata/stacks"

// stackBuild is one way to build a program that waits and lets go at known places.
type stackBuild struct {
	name    string
	tool    string   // the compiler
	flags   []string // between the compiler and the source
	source  string
	finish  func(full, program string) []*exec.Cmd // makes the program of what was compiled
	needs   []string                               // tools of finish
	judge   judge
	limited map[string]string // what a primitive's cell means, if not what it says
	graded  bool              // held to the floors of stacks_test.go; others are shown
	short   bool              // also played where no table is made
}

var stackPrimitives = []string{"mutex", "condvar", "semaphore", "rwlock", "pipe"}

// The functions of the programs, and what of a program's own file is still library.
var (
	ownInC    = regexp.MustCompile(`^(main|hold_working|\w+_[abc]|(culprit|waiter)_(turn|thread))$`)
	ownInGo   = regexp.MustCompile(`^main\.(main|(wait|release|hold|culprit|waiter)\w+)$`)
	anyName   = regexp.MustCompile(`.`)
	cxxNames  = regexp.MustCompile(`^_ZNK?St|\bstd::`)
	rustNames = regexp.MustCompile(`^_R|^_ZN(3std|4core)|\b(std|core)::`)
	goNames   = regexp.MustCompile(`^(runtime|syscall|internal/[\w/]+)\.`)
)

const (
	holdInC  = "hold_working"
	holdInGo = "main.holdWorking"
)

var stackBuilds = []stackBuild{
	{name: "gcc -O2", tool: "gcc", flags: []string{"-O2"}, judge: judge{own: ownInC, injected: holdInC}, graded: true, short: true},
	{name: "gcc -O2 -fno-omit-frame-pointer", tool: "gcc", flags: []string{"-O2", "-fno-omit-frame-pointer"},
		judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "gcc -O3 -flto", tool: "gcc", flags: []string{"-O3", "-flto=1"}, judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "gcc -O0", tool: "gcc", flags: []string{"-O0"}, judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "gcc -O2 -static", tool: "gcc", flags: []string{"-O2", "-static"},
		judge: judge{own: ownInC, injected: holdInC, library: anyName}, graded: true, short: true},
	{name: "gcc -O2 -static-pie", tool: "gcc", flags: []string{"-O2", "-static-pie"},
		judge: judge{own: ownInC, injected: holdInC, library: anyName}, graded: true},
	{name: "gcc -O2 -no-pie", tool: "gcc", flags: []string{"-O2", "-no-pie", "-fno-pie"},
		judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "gcc -O2, stripped", tool: "gcc", flags: []string{"-O2"}, finish: strip, needs: []string{"strip"},
		judge: judge{own: ownInC, injected: holdInC, byTwin: true}, graded: true, short: true},
	{name: "gcc -O2, .gnu_debugdata", tool: "gcc", flags: []string{"-O2"}, finish: miniDebugInfo,
		needs: []string{"strip", "objcopy", "xz"}, judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "clang -O2", tool: "clang-19", flags: []string{"-O2"}, judge: judge{own: ownInC, injected: holdInC}, graded: true},
	{name: "musl -O2", tool: "musl-gcc", flags: []string{"-O2"}, judge: judge{own: ownInC, injected: holdInC}},
	{name: "musl -O2 -static", tool: "musl-gcc", flags: []string{"-O2", "-static"},
		judge: judge{own: ownInC, injected: holdInC, library: anyName}},
	{name: "C++ -O2", tool: "g++", flags: []string{"-std=c++17", "-O2"}, source: "stacks.cc",
		judge: judge{own: ownInC, injected: holdInC, library: cxxNames}, graded: true,
		limited: map[string]string{"semaphore": "sem_t"}},
	{name: "Rust -C opt-level=3", tool: "rustc", flags: []string{"--edition=2021", "-C", "opt-level=3"}, source: "stacks.rs",
		judge: judge{own: ownInC, injected: holdInC, library: rustNames}, graded: true,
		limited: map[string]string{"semaphore": "sem_t"}},
	{name: "Go", tool: "go", flags: []string{"build"}, source: "stacks.go",
		judge: judge{own: ownInGo, injected: holdInGo, library: goNames}, limited: goCells},
	{name: "Go -ldflags='-s -w'", tool: "go", flags: []string{"build", "-ldflags=-s -w"}, source: "stacks.go",
		judge: judge{own: ownInGo, injected: holdInGo, library: goNames}, limited: goCells},
}

// nothingWaits is what the cell of a primitive means for which no thread waits.
const nothingWaits = "no thread waits"

// Goroutines that wait for each other leave their thread to others.
var goCells = map[string]string{
	"mutex": "futex called directly", "condvar": nothingWaits, "semaphore": nothingWaits, "rwlock": nothingWaits,
}

func strip(full, program string) []*exec.Cmd {
	return []*exec.Cmd{exec.Command("strip", "-o", program, full)}
}

// miniDebugInfo strips the program and gives it back its symbols the way Fedora does.
func miniDebugInfo(full, program string) []*exec.Cmd {
	symbols := program + ".symbols"
	return []*exec.Cmd{
		exec.Command("strip", "-o", program, full),
		exec.Command("objcopy", "--only-keep-debug", full, symbols),
		exec.Command("xz", symbols),
		exec.Command("objcopy", "--add-section", ".gnu_debugdata="+symbols+".xz", program),
	}
}

var notInFileName = regexp.MustCompile(`[^\w.+]+`)

// make builds the program and returns it with who judges its stacks. missing says what
// the machine lacks for it.
func (b stackBuild) make(t testing.TB) (program string, j judge, missing string) {
	t.Helper()
	for _, tool := range append([]string{b.tool}, b.needs...) {
		if _, err := findTool(tool); err != nil {
			return "", judge{}, "no " + tool
		}
	}
	dir := filepath.Join(shelf, "stacks")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	program = filepath.Join(dir, "stacks-"+strings.Trim(notInFileName.ReplaceAllString(b.name, "-"), "-"))
	compiled := program
	if b.finish != nil {
		compiled += ".full"
	}
	source := b.source
	if source == "" {
		source = "stacks.c"
	}
	compileStacks(t, b.tool, slices.Concat(b.flags, []string{"-o", compiled, filepath.Join(stackSources, source)}))
	if b.finish != nil {
		for _, cmd := range b.finish(compiled, program) {
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%v: %s", cmd, out)
		}
	}
	return program, b.judge.of(t, program, compiled), ""
}

func compileStacks(t testing.TB, tool string, args []string) {
	t.Helper()
	path, err := findTool(tool)
	require.NoError(t, err)
	if tool != "go" && tool != "rustc" {
		args = append([]string{"-Wall", "-Wextra", "-Werror", "-pthread"}, args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v: %s", cmd, out)
}

// findTool looks for a program in the path, and for Rust's also where rustup puts it.
func findTool(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || name != "rustc" {
		return path, err
	}
	home, homeErr := os.UserHomeDir()
	if homeErr != nil {
		return "", fmt.Errorf("%w; %w", err, homeErr)
	}
	return exec.LookPath(filepath.Join(home, ".cargo/bin", name))
}
