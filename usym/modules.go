// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/os2026/ebpf-rca/image"
)

// module returns the symbols of the file that m of process pid shows, nil if there are
// none. Errors are dropped here: what cannot be read names nothing.
func (s *Symbolizer) module(pid int, p *process, m image.Mapping) *module {
	if !m.IsFile() && m.Path != image.VDSO {
		return nil
	}
	id := idOf(m)
	key, known := p.files[id]
	if known {
		if value, ok := s.cache.get(key); ok {
			return value.(*module)
		}
	}
	key, value, err := s.load(pid, p, m)
	if err != nil {
		// Not asked for again, unless the cache dropped it.
		key, value = fileKey{}, nil
	}
	if p.files == nil {
		p.files = make(map[fileID]fileKey)
	}
	p.files[id] = key
	s.cache.put(key, value)
	return value
}

// load reads the symbols that belong to m, from the cache if another process showed
// the same file.
func (s *Symbolizer) load(pid int, p *process, m image.Mapping) (fileKey, *module, error) {
	if m.Path == image.VDSO {
		return s.loadVDSO(pid, m)
	}
	file, err := image.Open(pid, m)
	if err != nil {
		return s.loadByBuildID(pid, p, m)
	}
	key, ok := keyOf(file)
	if !ok {
		file.Close()
		return fileKey{}, nil, fs.ErrInvalid
	}
	if value, ok := s.cache.get(key); ok {
		file.Close()
		return key, value.(*module), nil
	}
	value, _ := readModule(file, key.size, file, origin{pid: pid, path: m.Path})
	if value == nil || !slices.Contains(value.files, file) {
		file.Close()
	}
	return key, value, nil
}

func (s *Symbolizer) loadVDSO(pid int, m image.Mapping) (fileKey, *module, error) {
	data, err := image.OpenVDSO(pid, m)
	if err != nil {
		return fileKey{}, nil, err
	}
	var content bytes.Buffer
	if _, err := data.WriteTo(&content); err != nil {
		return fileKey{}, nil, err
	}
	sum := sha256.Sum256(content.Bytes())
	key := fileKey{content: string(sum[:])}
	if value, ok := s.cache.get(key); ok {
		return key, value.(*module), nil
	}
	value, _ := readModule(data, data.Size(), nil, origin{pid: pid})
	return key, value, nil
}

// loadByBuildID reads the debug file of a file that cannot be opened: deleted, say, and
// map_files are not to be had. The memory of the process has the file's headers and its
// build id.
func (s *Symbolizer) loadByBuildID(pid int, p *process, m image.Mapping) (fileKey, *module, error) {
	mapped, id, err := headersInMemory(pid, p.maps, m)
	if err != nil {
		return fileKey{}, nil, err
	}
	key := fileKey{buildID: id}
	if value, ok := s.cache.get(key); ok {
		return key, value.(*module), nil
	}
	debug, err := findByBuildID(pid, id)
	if err != nil {
		return fileKey{}, nil, err
	}
	b := new(builder)
	b.failed("symbols of the debug file", b.separate(object{ELF: mapped}, debug))
	if !slices.Contains(b.files, debug.file) {
		debug.file.Close()
	}
	mapped.Sections = debug.Sections // for their bounds; moved files have no unsized symbols named
	return key, b.module(mapped), nil
}

// headersInMemory returns the headers and the build id of the file that m shows, from
// where the process has the beginning of the file.
func headersInMemory(pid int, maps []image.Mapping, m image.Mapping) (*image.ELF, string, error) {
	i := slices.IndexFunc(maps, func(o image.Mapping) bool { return o.Offset == 0 && idOf(o) == idOf(m) })
	if i < 0 {
		return nil, "", fmt.Errorf("%s: the beginning is not mapped: %w", m.Path, fs.ErrNotExist)
	}
	memory, err := image.OpenMemory(pid)
	if err != nil {
		return nil, "", err
	}
	defer memory.Close()
	start := io.NewSectionReader(memory, int64(maps[i].Start), int64(maps[i].End-maps[i].Start))
	f, err := image.ReadSegments(start)
	if err != nil {
		return nil, "", err
	}
	id := image.BuildIDInMemory(f, start)
	if id == "" {
		return nil, "", fmt.Errorf("%s: no build id: %w", m.Path, os.ErrNotExist)
	}
	return f, id, nil
}
