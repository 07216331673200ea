// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// librariesOf lists the files that a program cannot start without: the loader that it
// names and what that says it would load. A static program needs none.
func librariesOf(ctx context.Context, program string) ([]string, error) {
	loader, err := loaderOf(program)
	if err != nil || loader == "" {
		return nil, err
	}
	path, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	list, err := output(exec.CommandContext(ctx, loader, "--list", path))
	if err != nil {
		return nil, fmt.Errorf("list its libraries: %w", err)
	}
	libraries := []string{loader}
	for _, library := range loadedFiles(list) {
		if library != loader {
			libraries = append(libraries, library)
		}
	}
	return libraries, nil
}

// loaderOf reads which program loads another, empty if that is static.
func loaderOf(program string) (string, error) {
	file, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	image, err := elf.NewFile(file)
	if err != nil {
		return "", fmt.Errorf("read it: %w", err)
	}
	for _, segment := range image.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(segment.Open(), 4096))
		if err != nil {
			return "", fmt.Errorf("read its loader's name: %w", err)
		}
		return strings.TrimRight(string(name), "\x00"), nil
	}
	return "", nil
}

// loadedFiles takes the paths out of lines as "libc.so.6 => /lib/libc.so.6 (0x7f…)" and
// "/lib64/ld-linux-x86-64.so.2 (0x7f…)". What is in no file has no path.
func loadedFiles(list string) []string {
	var files []string
	for line := range strings.Lines(list) {
		name := strings.TrimSpace(line)
		if _, target, found := strings.Cut(name, "=> "); found {
			name = target
		}
		if at := strings.LastIndex(name, " ("); at >= 0 {
			name = name[:at]
		}
		if strings.HasPrefix(name, "/") {
			files = append(files, name)
		}
	}
	return files
}
