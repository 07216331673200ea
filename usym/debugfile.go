// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/os2026/ebpf-rca/image"
)

// debugRoot is the folder in which distributions put debug files.
const debugRoot = "/usr/lib/debug"

// maxChecked is how many bytes a checksum is made of for one program.
const maxChecked = 1 << 30

// findDebugFile returns the file that was stripped from mapped, the zero object if
// there is none. The caller closes it.
func findDebugFile(mapped object, from origin) (object, error) {
	var errs []error
	id := image.BuildID(mapped.ELF)
	for _, c := range candidates(mapped.ELF, id, from) {
		found, err := c.open(mapped, id)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return object{}, errors.Join(errs...)
}

// findByBuildID returns the debug file of a program that cannot be opened.
func findByBuildID(pid int, id string) (object, error) {
	for _, c := range idCandidates(pid, id) {
		if found, err := c.open(object{}, id); err == nil {
			return found, nil
		}
	}
	return object{}, fmt.Errorf("debug file of build id %s: %w", id, fs.ErrNotExist)
}

// candidate is a file that may be the one looked for.
type candidate struct {
	pid  int // whose root directory it is in
	path string
	link *debugLink // names it; nil if the build id does
	left *int64     // bytes that may yet be checked
}

// candidates are those named by build id, then those named by .gnu_debuglink; each in
// the root directory of the process first, then in ours.
func candidates(f *image.ELF, id string, from origin) []candidate {
	list := idCandidates(from.pid, id)
	link, err := readDebugLink(f)
	if err != nil || from.path == "" {
		return list
	}
	dir, left := path.Dir(from.path), int64(maxChecked)
	for _, pid := range []int{from.pid, os.Getpid()} {
		for _, p := range []string{
			path.Join(dir, link.name), path.Join(dir, ".debug", link.name), path.Join(debugRoot, dir, link.name),
		} {
			list = append(list, candidate{pid: pid, path: p, link: &link, left: &left})
		}
	}
	return list
}

func idCandidates(pid int, id string) []candidate {
	if len(id) < 4 {
		return nil
	}
	p := path.Join(debugRoot, ".build-id", id[:2], id[2:]+".debug")
	return []candidate{{pid: pid, path: p}, {pid: os.Getpid(), path: p}}
}

// open opens c if it is the right one: the build ids are the same, as far as both have
// one, and the checksum is that of the link, if that named it.
func (c candidate) open(mapped object, id string) (object, error) {
	file, err := image.OpenInRoot(c.pid, c.path, 0)
	if err != nil {
		return object{}, err
	}
	found, err := c.check(file, mapped, id)
	if err != nil {
		file.Close()
		return object{}, fmt.Errorf("%s: %w", c.path, err)
	}
	return found, nil
}

func (c candidate) check(file *os.File, mapped object, id string) (object, error) {
	info, err := file.Stat()
	if err != nil {
		return object{}, err
	}
	if mapped.file != nil {
		if its, err := mapped.file.Stat(); err == nil && os.SameFile(info, its) {
			return object{}, fs.ErrNotExist // it names itself
		}
	}
	found, err := openObject(file, info.Size(), file)
	if err != nil {
		return object{}, err
	}
	its := image.BuildID(found.ELF)
	if its != id && (c.link == nil || its != "" && id != "") {
		return object{}, fmt.Errorf("build id %q, not %q", its, id)
	}
	if c.link != nil {
		if *c.left -= info.Size(); *c.left < 0 {
			return object{}, image.ErrTooLarge
		}
		return found, c.link.check(file, info.Size())
	}
	return found, nil
}

// debugLink is the contents of .gnu_debuglink.
type debugLink struct {
	name     string // without a folder
	checksum uint32
}

var errNoLink = errors.New("no debug link")

func readDebugLink(f *image.ELF) (debugLink, error) {
	const most = 4096
	s := f.Section(".gnu_debuglink")
	if !plain(s) {
		return debugLink{}, errNoLink
	}
	data, err := s.Bytes(most)
	if err != nil {
		return debugLink{}, fmt.Errorf("read debug link: %w", err)
	}
	return parseDebugLink(f, data)
}

// parseDebugLink reads a name, zeros up to the next word, and a checksum.
func parseDebugLink(f *image.ELF, data []byte) (debugLink, error) {
	end := bytes.IndexByte(data, 0)
	if end <= 0 {
		return debugLink{}, errNoLink
	}
	name, at := string(data[:end]), (end+4)&^3
	if len(data) < at+4 || name == "." || name == ".." || bytes.IndexByte(data[:end], '/') >= 0 {
		return debugLink{}, errNoLink
	}
	return debugLink{name: name, checksum: f.ByteOrder.Uint32(data[at:])}, nil
}

func (l debugLink) check(r io.ReaderAt, size int64) error {
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil {
		return fmt.Errorf("checksum: %w", err)
	}
	if got := sum.Sum32(); got != l.checksum {
		return fmt.Errorf("checksum %#x, not %#x", got, l.checksum)
	}
	return nil
}
