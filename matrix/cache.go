// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/os2026/ebpf-rca/results"
)

// Cache keeps the images of the distribution: a folder a release, with vmlinuz and config.
type Cache struct {
	Dir string
	// Refresh has the package manager look for a newer image of a series that is there.
	Refresh bool
	// Mirror is that of the distribution; empty is the one of this machine's sources.
	Mirror string
	// Progress, if there is one, is told what is being waited for.
	Progress func(what string)
}

// Kernel finds the image of a spec. A series that is in the cache is not looked for
// elsewhere unless Refresh says so; what cannot be refreshed is taken as it is.
func (c Cache) Kernel(ctx context.Context, spec Spec) (Kernel, error) {
	if spec.Path != "" {
		return OpenKernel(spec.Path)
	}
	cached, err := c.Newest(spec)
	if err == nil && !c.Refresh {
		return cached, nil
	}
	if err != nil && !errors.Is(err, ErrNoKernel) {
		return Kernel{}, err
	}
	fetched, fetchErr := c.fetch(ctx, spec)
	switch {
	case fetchErr == nil:
		return fetched, nil
	case err == nil && ctx.Err() == nil:
		c.tell("%v; taking %s, which is in the cache", fetchErr, cached.Release)
		return cached, nil
	default:
		return Kernel{}, fetchErr
	}
}

func (c Cache) tell(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(fmt.Sprintf(format, args...))
	}
}

// Newest is the newest image of a series in the cache.
func (c Cache) Newest(spec Spec) (Kernel, error) {
	entries, err := os.ReadDir(c.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Kernel{}, fmt.Errorf("look for kernels: %w", err)
	}
	var releases []string
	for _, e := range entries {
		if spec.holds(e.Name()) {
			releases = append(releases, e.Name())
		}
	}
	release, ok := newestRelease(releases)
	if !ok {
		return Kernel{}, fmt.Errorf("kernel %s in %s: %w", spec, c.Dir, ErrNoKernel)
	}
	return c.Release(spec, release)
}

// Release is the image of one release, of the cache or of the path that spec has.
func (c Cache) Release(spec Spec, release string) (Kernel, error) {
	path := spec.Path
	if path == "" {
		path = filepath.Join(c.Dir, release, imageName)
	}
	k, err := OpenKernel(path)
	if err == nil && k.Release != release {
		err = fmt.Errorf("%s is of release %s, wanted is %s", path, k.Release, release)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Kernel{}, fmt.Errorf("%w: %w", ErrNoKernel, err)
	case err != nil && spec.Path == "":
		return Kernel{}, fmt.Errorf("%w; remove %s to have it fetched again", err, filepath.Dir(path))
	case err != nil:
		return Kernel{}, err
	}
	k.Spec = spec
	return k, nil
}

// Names of the files of a release.
const (
	imageName  = "vmlinuz"
	configName = "config"
)

// newestRelease orders as kernels are ordered, not as text.
func newestRelease(releases []string) (string, bool) {
	best, found := results.Kernel{}, false
	for _, release := range releases {
		if k, err := results.ParseKernel(release); err == nil && (!found || k.Compare(best) > 0) {
			best, found = k, true
		}
	}
	return best.Release, found
}
