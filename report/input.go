// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/os2026/ebpf-rca/results"
)

// Input is a result folder, or why it could not be read.
type Input struct {
	Dir    string
	Folder *results.Folder
	Err    error
}

// Open reads result folders.
func Open(dirs []string) []Input {
	inputs := make([]Input, len(dirs))
	for i, dir := range dirs {
		folder, err := results.Open(dir)
		inputs[i] = Input{Dir: dir, Folder: folder, Err: err}
	}
	return inputs
}

// readable returns the folders that could be read.
func readable(inputs []Input) []*results.Folder {
	var folders []*results.Folder
	for _, in := range inputs {
		if in.Err == nil {
			folders = append(folders, in.Folder)
		}
	}
	return folders
}

// oldestFirst orders folders by kernel; those whose kernel is unknown come last.
func oldestFirst(folders []*results.Folder) []*results.Folder {
	folders = slices.Clone(folders)
	slices.SortStableFunc(folders, func(a, b *results.Folder) int {
		x, errX := results.ParseKernel(a.Env.KernelRelease)
		y, errY := results.ParseKernel(b.Env.KernelRelease)
		switch {
		case errX == nil && errY == nil:
			return x.Compare(y)
		case errX == nil:
			return -1
		case errY == nil:
			return 1
		default:
			return cmp.Compare(a.Env.KernelRelease, b.Env.KernelRelease)
		}
	})
	return folders
}

// overheadOf reads what observing cost, where it was measured, and what is odd about
// the file.
func overheadOf(f *results.Folder) ([]results.OverheadLine, []string) {
	data, err := results.ReadFile(f.Dir, results.OverheadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{err.Error()}
	}
	lines, warnings, err := results.ReadOverhead(bytes.NewReader(data))
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	return lines, warnings
}
