// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(text, old))
	return strings.Replace(text, old, with, 1)
}

func TestCompare(t *testing.T) {
	good := folder(t, 10, right)
	bad := folder(t, 10, func(r results.Run) results.Verdict {
		if r.Variant == contention.FaultVariant {
			return results.Miss
		}
		return right(r)
	})
	r := do(t, "compare", good, bad)
	assert.Equal(t, exitGood, r.code, r.stderr)
	assert.Contains(t, r.stdout, "mutex-hold")
	assert.Contains(t, r.stderr, "doubt: "+bad+": the ledgers of 20 of 20 records are not there")

	r = do(t, "compare", "--gate", good, bad)
	assert.Equal(t, exitBelow, r.code)
	assert.NotEmpty(t, r.stderr, "it says what got worse")
	assert.Equal(t, exitGood, do(t, "compare", "--gate", bad, good).code, "better is no failure")
	assert.Equal(t, exitGood, do(t, "compare", "--gate", good, good).code)

	r = do(t, "compare", "--analyzer", "last-waker", good, bad)
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "no analyzer last-waker")
	assert.Equal(t, exitUsage, do(t, "compare", good).code)
	r = do(t, "compare", "--drop", "0", good, good)
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "--drop 0: it lies between 0 and 1")
}

func TestCompareJudges(t *testing.T) {
	many := folder(t, 20, right)
	r := do(t, "compare", "--json", many, many)
	require.Equal(t, exitGood, r.code, r.stderr)
	var c results.Comparison
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &c))
	assert.Equal(t, results.Unchanged, c.Rows[0].Cells[1].Judgement)
	r = do(t, "compare", "--drop", "0.05", many, many)
	assert.Contains(t, r.stdout, "unknown (")
}

func TestCompareAgainstAnotherAnalyzer(t *testing.T) {
	one := folder(t, 1, right)
	r := do(t, "compare", "--against", "last-waker", one)
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, one+" has no analyzer last-waker")
	r = do(t, "compare", "--against", "rca", one)
	assert.Contains(t, r.stderr, "analyzer rca against itself")
}

func TestCompareWarnsOfTheIncomplete(t *testing.T) {
	short := folder(t, 2, func(r results.Run) results.Verdict {
		if r.Index == 0 {
			return ""
		}
		return right(r)
	})
	r := do(t, "compare", folder(t, 2, right), short)
	assert.Contains(t, r.stdout+r.stderr, "incomplete")
}
