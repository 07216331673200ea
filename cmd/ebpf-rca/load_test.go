// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// loads provides load programs, once for all tests, and returns their folder.
func loads(t testing.TB, names ...string) string {
	t.Helper()
	const sources = "../../harness/load/programs"
	dir := filepath.Join(shelf, "load")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range names {
		program := filepath.Join(dir, name)
		if _, err := os.Stat(program); err != nil {
			compile(t, program, filepath.Join(sources, name+".c"), filepath.Join(sources, "lib"))
		}
	}
	return dir
}
