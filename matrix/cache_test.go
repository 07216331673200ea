// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func cacheOf(t *testing.T, releases ...string) Cache {
	dir := t.TempDir()
	for _, release := range releases {
		require.NoError(t, os.Mkdir(filepath.Join(dir, release), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, release, imageName), bzImage(release), 0o644))
	}
	return Cache{Dir: dir}
}

func TestCacheTakesTheNewest(t *testing.T) {
	c := cacheOf(t, "6.1.0-9-cloud-amd64", "6.1.0-57-cloud-amd64", "6.1.0-0.deb11.90-cloud-amd64", "6.12.1+deb13-cloud-amd64", "6.1.0-99-rt-amd64")
	spec := Spec{Series: "6.1", Flavor: "cloud"}
	k, err := c.Kernel(t.Context(), spec)
	require.NoError(t, err)
	assert.Equal(t, "6.1.0-57-cloud-amd64", k.Release)
	assert.Equal(t, spec, k.Spec)

	k, err = c.Release(spec, "6.1.0-9-cloud-amd64")
	require.NoError(t, err)
	assert.Equal(t, "6.1.0-9-cloud-amd64", k.Release)
}

func TestCacheSaysWhatToDo(t *testing.T) {
	c := cacheOf(t, "6.1.0-57-cloud-amd64")
	spec := Spec{Series: "6.1", Flavor: "cloud"}
	_, err := c.Release(spec, "6.1.0-1-cloud-amd64")
	assert.ErrorIs(t, err, ErrNoKernel)

	image := filepath.Join(c.Dir, "6.1.0-57-cloud-amd64", imageName)
	require.NoError(t, os.Truncate(image, 1050))
	_, err = c.Kernel(t.Context(), spec)
	assert.ErrorContains(t, err, "remove "+filepath.Dir(image))

	require.NoError(t, os.WriteFile(image, bzImage("5.0.0"), 0o644))
	_, err = c.Kernel(t.Context(), spec)
	assert.ErrorContains(t, err, "is of release 5.0.0")
}

// Without a network, what is there is taken, and what is not is told.
func TestCacheOffline(t *testing.T) {
	c := cacheOf(t, "6.1.0-57-cloud-amd64")
	t.Setenv("PATH", "")
	c.Refresh = true
	var told []string
	c.Progress = func(what string) { told = append(told, what) }
	k, err := c.Kernel(t.Context(), Spec{Series: "6.1", Flavor: "cloud"})
	require.NoError(t, err)
	assert.Equal(t, "6.1.0-57-cloud-amd64", k.Release)
	require.Len(t, told, 1)
	assert.Contains(t, told[0], "taking 6.1.0-57-cloud-amd64, which is in the cache")

	_, err = c.Kernel(t.Context(), Spec{Series: "6.12", Flavor: "cloud"})
	assert.ErrorIs(t, err, ErrNoKernel)
	assert.ErrorContains(t, err, "path of an image")
}
