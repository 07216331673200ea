// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// MergeMatrices joins folders of several kernels into a new one: the kernels of all, and
// of a kernel that is in more than one what its plan was cut into, as Merge does.
func MergeMatrices(dir string, from []string, o StoreOptions) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("merge into %s: the folder is not empty: %w", dir, fs.ErrExist)
	}
	var merged Matrix
	parts := map[string][]*Folder{}
	for _, matrix := range from {
		list, err := ReadMatrix(matrix)
		if err != nil {
			return err
		}
		for _, k := range list.Kernels {
			folder, err := Open(filepath.Join(matrix, k.Folder))
			if err != nil {
				return fmt.Errorf("merge: %w", err)
			}
			parts[k.Folder] = append(parts[k.Folder], folder)
			merged.add(k)
		}
	}
	for name, folders := range parts {
		if err := Merge(filepath.Join(dir, name), folders, o); err != nil {
			return err
		}
	}
	return WriteMatrix(dir, merged, o.Owner)
}

// add joins what is known of a kernel with what is known of it from another part.
func (m *Matrix) add(k MatrixKernel) {
	i := slices.IndexFunc(m.Kernels, func(other MatrixKernel) bool { return other.Folder == k.Folder })
	if i < 0 {
		m.Kernels = append(m.Kernels, k)
		return
	}
	known := &m.Kernels[i]
	known.Boots += k.Boots
	known.Deaths = append(known.Deaths, k.Deaths...)
	if known.GivenUp == "" {
		known.GivenUp = k.GivenUp
	}
}
