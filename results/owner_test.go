// SPDX-License-Identifier: Apache-2.0

package results

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOwnerFromEnv(t *testing.T) {
	env := func(uid, gid string) func(string) string {
		values := map[string]string{"SUDO_UID": uid, "SUDO_GID": gid}
		return func(key string) string { return values[key] }
	}
	assert.Equal(t, &Owner{UID: 1000, GID: 100}, OwnerFromEnv(env("1000", "100")))
	assert.Nil(t, OwnerFromEnv(env("", "")))
	assert.Nil(t, OwnerFromEnv(env("1000", "")))
	assert.Nil(t, OwnerFromEnv(env("-1", "100")))
}

func TestEveryFileMadeIsGivenAway(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "runs", "one")
	store, err := Create(dir, onePlan(t, 1), Env{}, StoreOptions{Owner: &Owner{UID: 4321, GID: 1234}})
	require.NoError(t, err)
	require.NoError(t, store.PutFile("ledgers/0.json.zst", []byte("{}")))
	require.NoError(t, store.Append(aRecord(store.Plan(), 0, Hit)))
	require.NoError(t, store.Close())

	seen := 0
	require.NoError(t, filepath.Walk(filepath.Join(root, "runs"), func(path string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		stat := info.Sys().(*syscall.Stat_t)
		assert.Equal(t, [2]uint32{4321, 1234}, [2]uint32{stat.Uid, stat.Gid}, path)
		seen++
		return nil
	}))
	assert.Equal(t, 7, seen, "runs, one, plan, env, results, ledgers and its file")

	info, err := os.Stat(root)
	require.NoError(t, err)
	assert.Zero(t, info.Sys().(*syscall.Stat_t).Uid, "what was there before keeps its owner")
}
