// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// unpack puts the image and the configuration that a package holds into the cache. The
// folder of a release appears whole or not at all.
func (c Cache) unpack(ctx context.Context, deb, release string, spec Spec) (Kernel, error) {
	dir, err := os.MkdirTemp(c.Dir, ".unpacking-")
	if err != nil {
		return Kernel{}, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return Kernel{}, err
	}
	if err := unpackTo(ctx, dir, deb, release); err != nil {
		return Kernel{}, fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
	}
	if _, err := OpenKernel(filepath.Join(dir, imageName)); err != nil {
		return Kernel{}, err
	}
	to := filepath.Join(c.Dir, release)
	if err := os.RemoveAll(to); err != nil {
		return Kernel{}, err
	}
	if err := os.Rename(dir, to); err != nil {
		return Kernel{}, err
	}
	k, err := OpenKernel(filepath.Join(to, imageName))
	k.Spec = spec
	return k, err
}

func unpackTo(ctx context.Context, dir, deb, release string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	stream, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = takeKernel(stream, dir, release)
	cancel() // what comes after the kernel is not read
	if waited := cmd.Wait(); err == nil && waited != nil && ctx.Err() == nil {
		err = waited
	}
	return err
}

// takeKernel copies the kernel's two files out of the tar of a package. Where they stand
// depends on the release.
func takeKernel(r io.Reader, dir, release string) error {
	wanted := map[string]string{
		"boot/vmlinuz-" + release:                       imageName,
		"boot/config-" + release:                        configName,
		"usr/lib/modules/" + release + "/" + imageName:  imageName,
		"usr/lib/modules/" + release + "/" + configName: configName,
	}
	have := make(map[string]bool)
	files := tar.NewReader(r)
	for !have[imageName] || !have[configName] {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		name := wanted[path.Clean(header.Name)]
		if name == "" || header.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(filepath.Join(dir, name), files); err != nil {
			return err
		}
		have[name] = true
	}
	if !have[imageName] {
		return fmt.Errorf("%w: there is no image in it", ErrNoKernel)
	}
	return nil
}

func writeFile(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
