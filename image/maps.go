// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Permissions are the bits of a mapping.
type Permissions uint8

// The permissions. A mapping without Shared is private.
const (
	Read Permissions = 1 << iota
	Write
	Execute
	Shared
)

// String renders p as /proc/PID/maps does.
func (p Permissions) String() string {
	text := []byte("---p")
	for i, c := range []byte("rwxs") {
		if p&(1<<i) != 0 {
			text[i] = c
		}
	}
	return string(text)
}

// Mapping is one line of /proc/PID/maps: [Start, End) shows the file from Offset on.
type Mapping struct {
	Start, End  uint64
	Permissions Permissions
	Offset      uint64
	// Device is in the encoding of stat(2); with Inode it names the file. Both
	// are 0 for memory without a file.
	Device, Inode uint64
	// Path is as the kernel prints it: empty for anonymous memory, in brackets
	// for special areas, with a newline as \012.
	Path string
	// Deleted says that the file has no name any more; Path is its last.
	Deleted bool
}

// Contains reports whether address lies in m.
func (m Mapping) Contains(address uint64) bool { return m.Start <= address && address < m.End }

// FileOffset is where in the file the byte at address comes from.
func (m Mapping) FileOffset(address uint64) uint64 { return address - m.Start + m.Offset }

// IsFile reports whether m shows a file that could be opened.
func (m Mapping) IsFile() bool { return m.Inode != 0 && strings.HasPrefix(m.Path, "/") }

// Name is the base name of the file, or the bracketed name of a special area.
func (m Mapping) Name() string { return m.Path[strings.LastIndexByte(m.Path, '/')+1:] }

// Find returns the mapping that address lies in. The mappings are in the order of
// ReadMaps.
func Find(maps []Mapping, address uint64) (Mapping, bool) {
	i, ok := FindIndex(maps, address)
	if !ok {
		return Mapping{}, false
	}
	return maps[i], true
}

// FindIndex returns the index of the mapping that Find returns.
func FindIndex(maps []Mapping, address uint64) (int, bool) {
	i, exact := slices.BinarySearchFunc(maps, address, func(m Mapping, a uint64) int {
		return cmp.Compare(m.Start, a)
	})
	if !exact {
		i--
	}
	return i, i >= 0 && maps[i].Contains(address)
}

// OpenMaps reads the mappings of a process. They are empty for one that has exited
// and was not yet waited for, and for a kernel thread.
func OpenMaps(pid int) ([]Mapping, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	maps, err := ReadMaps(f)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	return maps, nil
}

// ReadMaps reads text in the form of /proc/PID/maps and returns the mappings in the
// order of their addresses.
func ReadMaps(r io.Reader) ([]Mapping, error) {
	var maps []Mapping
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		m, err := parseMapping(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("maps: line %d: %w", len(maps)+1, err)
		}
		maps = append(maps, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	slices.SortStableFunc(maps, func(a, b Mapping) int { return cmp.Compare(a.Start, b.Start) })
	return maps, nil
}

// parseMapping reads "start-end perms offset major:minor inode  path".
func parseMapping(line string) (Mapping, error) {
	var m Mapping
	span, rest, _ := strings.Cut(line, " ")
	permissions, rest, _ := strings.Cut(rest, " ")
	offset, rest, _ := strings.Cut(rest, " ")
	device, rest, _ := strings.Cut(rest, " ")
	inode, path, _ := strings.Cut(rest, " ")
	if err := errors.Join(
		parseSpan(span, &m),
		parsePermissions(permissions, &m),
		parseNumber("offset", offset, 16, &m.Offset),
		parseDevice(device, &m),
		parseNumber("inode", inode, 10, &m.Inode),
	); err != nil {
		return Mapping{}, err
	}
	m.Path = strings.TrimLeft(path, " ")
	if strings.HasPrefix(m.Path, "/") {
		m.Path, m.Deleted = strings.CutSuffix(m.Path, " (deleted)")
	}
	return m, nil
}

func parseSpan(text string, m *Mapping) error {
	start, end, _ := strings.Cut(text, "-")
	if err := errors.Join(
		parseNumber("start", start, 16, &m.Start),
		parseNumber("end", end, 16, &m.End),
	); err != nil {
		return err
	}
	if m.Start >= m.End {
		return fmt.Errorf("range %q is empty", text)
	}
	return nil
}

func parsePermissions(text string, m *Mapping) error {
	if len(text) != 4 {
		return fmt.Errorf("permissions %q", text)
	}
	for i, c := range []byte("rwxs") {
		switch {
		case text[i] == c:
			m.Permissions |= 1 << i
		case text[i] != "---p"[i]:
			return fmt.Errorf("permissions %q", text)
		}
	}
	return nil
}

func parseDevice(text string, m *Mapping) error {
	major, minor, _ := strings.Cut(text, ":")
	ma, err := strconv.ParseUint(major, 16, 32)
	if err != nil {
		return fmt.Errorf("device: %w", err)
	}
	mi, err := strconv.ParseUint(minor, 16, 32)
	if err != nil {
		return fmt.Errorf("device: %w", err)
	}
	m.Device = unix.Mkdev(uint32(ma), uint32(mi))
	return nil
}

func parseNumber(what, text string, base int, to *uint64) error {
	v, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*to = v
	return nil
}
