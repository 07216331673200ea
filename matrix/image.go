// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Kernel is an image that can be booted.
type Kernel struct {
	Spec    Spec
	Release string // as uname -r prints it
	Image   string // path
	// Config is the path of the configuration it was built with, empty if that is unknown.
	Config string
}

// OpenKernel reads of an image which release it is, and looks beside it for its
// configuration: config-RELEASE, or .config as a build leaves it at its top.
func OpenKernel(path string) (Kernel, error) {
	info, err := os.Stat(path) // to open a pipe would wait for its writer
	if err != nil {
		return Kernel{}, fmt.Errorf("open kernel: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Kernel{}, fmt.Errorf("open kernel %s: it is no file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return Kernel{}, fmt.Errorf("open kernel: %w", err)
	}
	defer file.Close()
	release, err := imageRelease(file, info.Size())
	if err != nil {
		return Kernel{}, fmt.Errorf("open kernel %s: %w", path, err)
	}
	k := Kernel{Spec: Spec{Path: path}, Release: release, Image: path}
	dir := filepath.Dir(path)
	for _, config := range []string{"config-" + release, "config", ".config", "../../../.config"} {
		if info, err := os.Stat(filepath.Join(dir, config)); err == nil && info.Mode().IsRegular() {
			k.Config = filepath.Join(dir, config)
			break
		}
	}
	return k, nil
}

// Places in an image of x86, by Documentation/arch/x86/boot.rst.
const (
	setupSectors   = 0x1f1 // u8, in sectors of 512 bytes after the first; 0 is 4
	protectedSize  = 0x1f4 // u32, of what follows them, in units of 16 bytes
	headerMagic    = 0x202 // "HdrS"
	releasePointer = 0x20e // u16, less 0x200
	headerEnd      = 0x210
)

// maxRelease is the most that uname has room for.
const maxRelease = 64

// imageRelease reads the release out of a bzImage of that size, and checks that it is whole.
func imageRelease(r io.ReaderAt, size int64) (string, error) {
	header := make([]byte, headerEnd)
	if _, err := r.ReadAt(header, 0); err != nil {
		return "", fmt.Errorf("it is no kernel image: %w", err)
	}
	if string(header[headerMagic:headerMagic+4]) != "HdrS" {
		return "", errors.New("it is no kernel image (bzImage) for x86")
	}
	sectors := int64(header[setupSectors])
	if sectors == 0 {
		sectors = 4
	}
	whole := (sectors+1)*512 + int64(binary.LittleEndian.Uint32(header[protectedSize:]))*16
	if size < whole {
		return "", fmt.Errorf("the image is cut off: it has %d bytes of %d", size, whole)
	}
	text := make([]byte, maxRelease)
	at := int64(binary.LittleEndian.Uint16(header[releasePointer:])) + 0x200
	n, err := r.ReadAt(text, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read its release: %w", err)
	}
	release, _, _ := strings.Cut(string(text[:n]), " ")
	if end := strings.IndexByte(release, 0); end >= 0 {
		release = release[:end]
	}
	if !isRelease(release) {
		return "", fmt.Errorf("its header tells no release, but %q", release)
	}
	return release, nil
}

// isRelease reports whether text can stand in a file name and in a record.
func isRelease(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(".-+_~", r)
	})
}
