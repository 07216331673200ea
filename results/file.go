// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// compressed is the ending of names whose files are kept compressed.
const compressed = ".zst"

// magic begins what is compressed already.
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxUnpacked bounds what a compressed file may grow to when read.
const maxUnpacked = 1 << 30

// PutFile writes a file of a result folder, whole or not at all: a reader sees the
// old content or the new. The name may go through subfolders, which are made; data
// is compressed on the way when the name ends in .zst, unless it is already.
func PutFile(dir, name string, data []byte, owner *Owner) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("write %s: the name leaves the folder", name)
	}
	if strings.HasSuffix(name, compressed) && !bytes.HasPrefix(data, magic) {
		packed, err := pack(data)
		if err != nil {
			return fmt.Errorf("compress %s: %w", name, err)
		}
		data = packed
	}
	path := filepath.Join(dir, name)
	if err := owner.mkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := replaceFile(path, data, owner); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// ReadFile reads what PutFile wrote.
func ReadFile(dir, name string) ([]byte, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("read %s: the name leaves the folder", name)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if !strings.HasSuffix(name, compressed) {
		return data, nil
	}
	if data, err = unpack(data); err != nil {
		return nil, fmt.Errorf("decompress %s: %w", name, err)
	}
	return data, nil
}

func pack(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	packed := w.EncodeAll(data, nil)
	return packed, w.Close()
}

func unpack(data []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err == nil && len(out) > maxUnpacked {
		err = fmt.Errorf("more than %d bytes", maxUnpacked)
	}
	return out, err
}

// replaceFile writes beside path, syncs, and renames over it. Nothing is left
// behind on failure.
func replaceFile(path string, data []byte, owner *Owner) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err = fill(f, data, owner); err != nil {
		_ = f.Close()
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func fill(f *os.File, data []byte, owner *Owner) error {
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := owner.give(f); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// syncDir makes the names in dir survive a crash of the machine.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
