// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MatrixFile lists the result folders, one a kernel, of a folder that holds several.
const MatrixFile = "matrix.json"

// MatrixSchema is the schema of matrix.json.
const MatrixSchema = "ebpf-rca/matrix/1"

// Matrix is one plan played on several kernels.
type Matrix struct {
	Schema string `json:"schema"`
	// Guest is the machine that all kernels have.
	Guest   MatrixGuest    `json:"guest"`
	Kernels []MatrixKernel `json:"kernels"`
}

// MatrixGuest is a virtual machine. That of a folder of before it was noted is zero.
type MatrixGuest struct {
	CPUs   int `json:"cpus,omitempty"`
	Memory int `json:"memory_mib,omitempty"` // in MiB
	// Append is added to the kernel's command line.
	Append string `json:"append,omitempty"`
}

// MatrixKernel is what became of a kernel.
type MatrixKernel struct {
	// Spec is how it was asked for, Release which it is.
	Spec    string `json:"spec"`
	Release string `json:"release"`
	// Folder is that of its results, within the matrix's.
	Folder string `json:"folder"`
	// Boots is how often it was started, and Deaths why it did not come to its end.
	Boots  int      `json:"boots"`
	Deaths []string `json:"deaths,omitempty"`
	// GivenUp is why the rest of its plan was not played, empty if it was.
	GivenUp string `json:"given_up,omitempty"`
}

// WriteMatrix writes the list into a folder.
func WriteMatrix(dir string, m Matrix, owner *Owner) error {
	m.Schema, m.Kernels = MatrixSchema, notNil(m.Kernels)
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", MatrixFile, err)
	}
	return PutFile(dir, MatrixFile, append(data, '\n'), owner)
}

// ReadMatrix reads the list of a folder. The error wraps fs.ErrNotExist if it is none of
// several kernels.
func ReadMatrix(dir string) (Matrix, error) {
	file, err := os.Open(filepath.Join(dir, MatrixFile))
	if err != nil {
		return Matrix{}, fmt.Errorf("read matrix: %w", err)
	}
	defer file.Close()
	m, err := decodeMatrix(file)
	if err != nil {
		return Matrix{}, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	return m, nil
}

func decodeMatrix(r io.Reader) (Matrix, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxLine))
	if err != nil {
		return Matrix{}, err
	}
	if err := checkSchema(data, MatrixSchema); err != nil {
		return Matrix{}, err
	}
	var m Matrix
	if err := json.Unmarshal(data, &m); err != nil {
		return Matrix{}, err
	}
	if len(m.Kernels) == 0 {
		return Matrix{}, errors.New("it lists no kernel")
	}
	for _, k := range m.Kernels {
		if !filepath.IsLocal(k.Folder) {
			return Matrix{}, fmt.Errorf("kernel %s: the folder %q leaves that of the matrix", k.Release, k.Folder)
		}
	}
	return m, nil
}

// Expand puts in the place of each folder of several kernels those of its kernels.
func Expand(dirs []string) ([]string, error) {
	var all []string
	for _, dir := range dirs {
		m, err := ReadMatrix(dir)
		if errors.Is(err, fs.ErrNotExist) {
			all = append(all, dir)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, k := range m.Kernels {
			all = append(all, filepath.Join(dir, k.Folder))
		}
	}
	return all, nil
}
