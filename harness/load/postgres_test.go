// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness"
)

func needPostgres(t *testing.T) {
	t.Helper()
	if _, err := findPostgres(); err != nil {
		t.Skip(err)
	}
	t.Setenv("TMPDIR", shelf)
	require.NoError(t, os.Chmod(shelf, 0o755))
}

func requireNoData(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(shelf, "postgres-load-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestPostgres(t *testing.T) {
	needPostgres(t)
	took := do(t, postgres{})
	assert.Positive(t, took.P99)
	assert.Less(t, took.P99, took.Wall)
	requireNoData(t)
}

func TestPostgresEndsWithTheContext(t *testing.T) {
	needPostgres(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := postgres{}.Open(canceled)
	require.ErrorIs(t, err, context.Canceled)
	requireNoData(t)

	source, err := postgres{}.Open(t.Context())
	require.NoError(t, err)
	run, err := source.Start(t.Context(), 1<<40)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = run.Do(ctx, cancel)
	require.ErrorIs(t, err, context.Canceled)
	run.Close()
	require.NoError(t, source.Close())
	require.NoError(t, source.Close(), "twice")
	requireNoData(t)
}

func TestPostgresThatDoesNotStart(t *testing.T) {
	needPostgres(t)
	dir := fake(t, "initdb", "echo no space left >&2; exit 1")
	require.NoError(t, os.Chmod(dir, 0o755))
	s := &postgresServer{programs: map[string]string{"initdb": filepath.Join(dir, "initdb")}}
	err := s.open(t.Context())
	require.ErrorContains(t, err, "initdb")
	require.NoError(t, s.Close())
	requireNoData(t)
}

func TestFindPostgres(t *testing.T) {
	if dirs, _ := filepath.Glob(packaged); len(dirs) > 0 {
		t.Setenv("PATH", t.TempDir())
		_, err := findPostgres()
		require.NoError(t, err, "it need not be in PATH")
		return
	}
	t.Setenv("PATH", t.TempDir())
	_, err := findPostgres()
	require.ErrorIs(t, err, harness.ErrAbsent)
	require.ErrorContains(t, err, "PostgreSQL's initdb is not installed")
}
