// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/results"
)

// matrixFolders are the result folders of a matrix, which stand in one.
type matrixFolders struct {
	dir   string
	list  results.Matrix
	store map[string]*results.Store // by folder; those that were made or resumed
}

// folders makes the result folder of each kernel with its plan, or opens them to resume.
// All have the same plan but for its name.
func (o matrixOptions) folders(kernels []matrix.Kernel) (*matrixFolders, error) {
	f := &matrixFolders{dir: o.out, store: map[string]*results.Store{}}
	f.list.Guest = results.MatrixGuest{CPUs: o.cpus, Memory: o.memory, Append: o.append}
	if o.resume != "" {
		f.dir = o.resume
		return f, f.resume()
	}
	if _, err := os.Lstat(filepath.Join(f.dir, results.MatrixFile)); err == nil {
		return nil, usage(fmt.Errorf("create %s: %w; --resume %s goes on with it", f.dir, results.ErrExists, f.dir))
	}
	if _, err := os.Lstat(filepath.Join(f.dir, results.PlanFile)); err == nil {
		return nil, usage(fmt.Errorf("create %s: %w, of one kernel", f.dir, results.ErrExists))
	}
	if err := f.create(o, kernels); err != nil {
		f.discard()
		return nil, err
	}
	return f, nil
}

// create makes a folder for each kernel, and lists them.
func (f *matrixFolders) create(o matrixOptions, kernels []matrix.Kernel) error {
	for _, kernel := range kernels {
		name := f.free(kernel.Release)
		plan, err := o.plan(kernel.Release)
		if err != nil {
			return usage(err)
		}
		env := results.Env{KernelRelease: kernel.Release}
		store, err := results.Create(filepath.Join(f.dir, name), plan, env, storeOptions())
		if errors.Is(err, results.ErrExists) {
			return usage(err)
		}
		if err != nil {
			return err
		}
		f.store[name] = store
		f.list.Kernels = append(f.list.Kernels, results.MatrixKernel{Spec: kernel.Spec.String(), Release: kernel.Release, Folder: name})
	}
	return results.WriteMatrix(f.dir, f.list, results.OwnerFromEnv(os.Getenv))
}

// discard takes away folders in which nothing has been played.
func (f *matrixFolders) discard() {
	for _, store := range f.store {
		store.Discard()
	}
}

func storeOptions() results.StoreOptions {
	return results.StoreOptions{Owner: results.OwnerFromEnv(os.Getenv)}
}

func (f *matrixFolders) resume() error {
	list, err := results.ReadMatrix(f.dir)
	if err != nil {
		return openError(err)
	}
	f.list = list
	for _, k := range list.Kernels {
		store, _, err := results.Resume(filepath.Join(f.dir, k.Folder), storeOptions())
		if err != nil {
			return err
		}
		f.store[k.Folder] = store
	}
	return nil
}

// free is a folder for a release that no other has: two images may be of one release.
func (f *matrixFolders) free(release string) string {
	name := release
	for n := 2; f.store[name] != nil; n++ {
		name = fmt.Sprintf("%s-%d", release, n)
	}
	return name
}

// open hands out the folder of the kernel of that number.
func (f *matrixFolders) open(number int) *results.Store {
	return f.store[f.list.Kernels[number].Folder]
}

// write notes in the list what became of the kernels.
func (f *matrixFolders) write(outcomes []matrix.Outcome) error {
	for i, o := range outcomes {
		k := &f.list.Kernels[i]
		k.Boots += o.Boots
		k.Deaths = append(k.Deaths, o.Deaths...)
		k.GivenUp = ""
		if o.Err != nil {
			k.GivenUp = o.Err.Error()
		}
	}
	return results.WriteMatrix(f.dir, f.list, results.OwnerFromEnv(os.Getenv))
}
