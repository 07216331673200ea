// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
)

var definition = regexp.MustCompile(`(?m)^(?:static )?(?:OUTLINED )?[a-z][\w ]*[ *](\w+)\([^;{]*\)\n\{`)

// disguise copies a workload with every function of its own, and its threads, called
// something else, and builds it.
func disguise(t *testing.T, name string) (program string, functions []string) {
	t.Helper()
	dir := t.TempDir()
	texts := make(map[string]string)
	addSource(t, texts, filepath.Join(sources, name+".c"))
	renamed := make(map[string]string)
	for _, text := range texts {
		for _, found := range definition.FindAllStringSubmatch(text, -1) {
			if found[1] != "main" {
				renamed[found[1]] = "q" + strconv.Itoa(len(renamed))
			}
		}
	}
	for base, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, base), []byte(rename(text, renamed)), 0o644))
	}
	program = filepath.Join(dir, "else")
	require.NoError(t, os.Rename(filepath.Join(dir, name+".c"), program+".src"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "own"), 0o755))
	require.NoError(t, os.Rename(program+".src", filepath.Join(dir, "own", "else.c")))
	compile(t, program, filepath.Join(dir, "own", "else.c"), dir)
	return program, slices.Sorted(maps.Keys(renamed))
}

var include = regexp.MustCompile(`(?m)^#include "(\w+)\.h"$`)

// addSource adds a file and all of the folder lib that it stands on.
func addSource(t *testing.T, texts map[string]string, file string) {
	t.Helper()
	base := filepath.Base(file)
	text, err := os.ReadFile(file)
	if _, known := texts[base]; known || os.IsNotExist(err) { // a header may stand alone
		return
	}
	require.NoError(t, err)
	texts[base] = string(text)
	for _, found := range include.FindAllStringSubmatch(string(text), -1) {
		for _, extension := range []string{".h", ".c"} {
			addSource(t, texts, filepath.Join(sources, "lib", found[1]+extension))
		}
	}
}

var (
	word    = regexp.MustCompile(`\w+`)
	literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// rename replaces words outside of string literals, and how threads are called.
func rename(text string, renamed map[string]string) string {
	swap := func(code string) string {
		return word.ReplaceAllStringFunc(code, func(w string) string {
			if to, known := renamed[w]; known {
				return to
			}
			return w
		})
	}
	var b strings.Builder
	end := 0
	for _, at := range literal.FindAllStringIndex(text, -1) {
		b.WriteString(swap(text[end:at[0]]))
		b.WriteString(strings.Replace(text[at[0]:at[1]], `"w%u"`, `"some-%u"`, 1))
		end = at[1]
	}
	b.WriteString(swap(text[end:]))
	return b.String()
}

// lockHolders are the accusations of having held a lock, by rank. What else there is
// may be true of a machine on which other tests run.
func lockHolders(d diagnosis) []contention.Finding {
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f contention.Finding) bool {
		return f.Class != contention.LockHolder || f.Culprit == nil
	})
}

// accusedIndexes diagnoses a workload and returns which of its threads are said to
// have held a lock, by their place in the ledger and in the order of their rank.
func accusedIndexes(t *testing.T, program string, seed int) ([]int, *ledger.Ledger, diagnosis) {
	t.Helper()
	p := perform(t, program, seed)
	r := do(t, "diagnose", "--json", "-d", "1500ms", "-p", itoa(p.pid))
	require.Equal(t, exitGood, r.code, r.stderr)
	d := diagnoses(t, r.stdout)[0]
	l := p.truth(t)
	var indexes []int
	for _, f := range lockHolders(d) {
		indexes = append(indexes, slices.IndexFunc(l.Threads, func(x ledger.Thread) bool { return x.TID == f.Culprit.TID }))
	}
	t.Logf("seed %d: %s", seed, r.stdout)
	return indexes, l, d
}

// All that the analysis may read of names is what the C library and the kernel call
// their functions: renaming everything that is the target's own changes no rank.
func TestNamesMakeNoDifference(t *testing.T) {
	needRoot(t)
	const name = "mutex-two-culprits"
	program, functions := disguise(t, name)
	require.Greater(t, len(functions), 40)
	plain, l, _ := accusedIndexes(t, filepath.Join(stage(t, name), name), 5)
	disguised, _, d := accusedIndexes(t, program, 5)
	require.Len(t, plain, 2)
	assert.Equal(t, plain, disguised, "the same roles in the same order")
	assert.True(t, l.Threads[plain[0]].Culprit)

	for _, f := range lockHolders(d) {
		assert.Regexp(t, `^some-\d+$`, f.Culprit.Comm)
		for _, s := range f.Stacks {
			assertNoneOf(t, functions, s.Frames)
		}
	}
}

func assertNoneOf(t *testing.T, names []string, stack contention.Stack) {
	t.Helper()
	for _, f := range stack {
		assert.NotContains(t, names, f.Function, "the disguise is whole")
	}
}

// Which thread is at fault follows from the seed, and the answer follows the thread.
func TestSeedDecidesWhoIsAtFault(t *testing.T) {
	needRoot(t)
	places := make(map[int]bool)
	for seed := 1; seed <= 2; seed++ {
		indexes, l, _ := accusedIndexes(t, filepath.Join(stage(t, "mutex-hold"), "mutex-hold"), seed)
		_, index := culprit(t, l)
		require.Equal(t, []int{index}, indexes, "seed %d", seed)
		places[index] = true
	}
	assert.Greater(t, len(places), 1)
}
