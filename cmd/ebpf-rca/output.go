// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/os2026/ebpf-rca/results"
)

// checkOutput finds out whether the file of a flag can be written, before work is
// spent on what is to go into it. An empty path is none.
func checkOutput(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s %s: it is a folder", flag, path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %s: there is no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}

// writeOutput writes the file of a flag, whole or not at all, for the user behind
// sudo. What is no regular file, such as /dev/stdout, is written to as it is.
func writeOutput(flag, path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var data bytes.Buffer
	err := write(&data)
	if err == nil {
		err = putOutput(path, data.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", flag, err)
	}
	return nil
}

func putOutput(path string, data []byte) error {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		path = whole
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	}
	return results.PutFile(filepath.Dir(path), filepath.Base(path), data, results.OwnerFromEnv(os.Getenv))
}
