// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBisectCodes(t *testing.T) {
	code := func(ctx context.Context, err error) int {
		var e *exit
		if !errors.As(bisected(ctx, err), &e) {
			return exitGood
		}
		return e.code
	}
	ctx := t.Context()
	assert.Equal(t, exitGood, code(ctx, nil))
	assert.Equal(t, exitBelow, code(ctx, &exit{code: exitBelow}))
	assert.Equal(t, exitAbort, code(ctx, &exit{code: exitUsage}), "a mistake ends a bisection")
	assert.Equal(t, exitUntestable, code(ctx, &exit{code: exitInfra}))
	assert.Equal(t, exitUntestable, code(ctx, &exit{code: exitNothing}))
	assert.Equal(t, exitUntestable, code(ctx, os.ErrClosed))

	stopped, stop := context.WithCancel(ctx)
	stop()
	assert.Equal(t, exitAbort, code(stopped, &exit{code: exitInfra}), "lost is what was not played")
	assert.NoError(t, bisected(stopped, nil), "the end came first")
	assert.Equal(t, os.ErrClosed, errors.Unwrap(bisected(ctx, &exit{code: exitUsage, cause: os.ErrClosed})))
	assert.NoError(t, errors.Unwrap(bisected(ctx, &exit{code: exitInfra})), "that has been told")
}

// No commit is called bad for a mistake in the flags, and one that did not build is skipped.
func TestBisectIsMisused(t *testing.T) {
	for _, args := range [][]string{
		{"--bisect", "--kernel", "6.1"},
		{"--bisect", "--kernel", "6.1", "--no-such"},
		{"--bisect", "--kernel", "6.1,6.12", "--out", "x"},
	} {
		assert.Equal(t, exitAbort, do(t, append([]string{"matrix"}, args...)...).code, args)
	}
	r := do(t, "matrix", "--bisect", "--kernel", "./none", "--out", t.TempDir())
	assert.Equal(t, exitUntestable, r.code)
}

func TestBisectStepsHaveFoldersOfTheirOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bisect")
	assert.Equal(t, filepath.Join(dir, "1"), nextStep(dir))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "1"), 0o755))
	assert.Equal(t, filepath.Join(dir, "2"), nextStep(dir))
}
