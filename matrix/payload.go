// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cavaliergopher/cpio"
)

// Payload is the file system of a guest: what stands where in it.
type Payload struct {
	programs map[string]string // file of the host by path in the guest; executable
	files    map[string]string
	links    map[string]string // target by path
	content  map[string][]byte
}

// Places in a guest.
const (
	// InitPath is what the kernel runs first.
	InitPath = "/init"
	// CommandPath holds what init is to run, an argument a line.
	CommandPath = "/command"
	// ResultsPath holds the plan, and of earlier boots what is needed to go on.
	ResultsPath = "/results"
	// ProgramPath is the command, and WorkloadPath beside it holds the workloads.
	ProgramPath  = "/bin/ebpf-rca"
	WorkloadPath = "/bin/workloads"
)

// AddProgram puts a program of the host into the guest, with the libraries it needs.
func (p *Payload) AddProgram(ctx context.Context, at, host string) error {
	libraries, err := librariesOf(ctx, host)
	if err != nil {
		return fmt.Errorf("pack %s: %w", host, err)
	}
	put(&p.programs, at, host)
	for _, library := range libraries {
		put(&p.programs, library, library)
	}
	return nil
}

// AddFile puts a file of the host into the guest.
func (p *Payload) AddFile(at, host string) { put(&p.files, at, host) }

// AddContent makes a file in the guest.
func (p *Payload) AddContent(at string, data []byte) { put(&p.content, at, data) }

// SetCommand says what the guest is there to run.
func (p *Payload) SetCommand(args ...string) {
	p.AddContent(CommandPath, []byte(strings.Join(args, "\n")))
}

// AddLink makes a symbolic link in the guest.
func (p *Payload) AddLink(at, target string) { put(&p.links, at, target) }

func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[path.Clean(key)] = value
}

// Write packs the payload as an archive that the kernel unpacks into its first file
// system. Archives may follow one another in a file.
func (p *Payload) Write(w io.Writer) error {
	archive := cpio.NewWriter(w)
	for _, dir := range p.folders() {
		if err := archive.WriteHeader(&cpio.Header{Name: inArchive(dir), Mode: cpio.TypeDir | 0o755}); err != nil {
			return fmt.Errorf("pack %s: %w", dir, err)
		}
	}
	for at, host := range sorted(p.programs) {
		if err := packFile(archive, at, host, 0o755); err != nil {
			return err
		}
	}
	for at, host := range sorted(p.files) {
		if err := packFile(archive, at, host, 0o644); err != nil {
			return err
		}
	}
	for at, data := range sorted(p.content) {
		if err := pack(archive, &cpio.Header{Name: inArchive(at), Mode: cpio.TypeReg | 0o644}, data); err != nil {
			return err
		}
	}
	for at, target := range sorted(p.links) {
		if err := pack(archive, &cpio.Header{Name: inArchive(at), Mode: cpio.TypeSymlink | 0o777}, []byte(target)); err != nil {
			return err
		}
	}
	return archive.Close()
}

// sorted yields equal archives for equal payloads.
func sorted[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// folders are those that the files stand in, the outer ones first.
func (p *Payload) folders() []string {
	all := make(map[string]bool)
	for _, names := range [][]string{keys(p.programs), keys(p.files), keys(p.content), keys(p.links)} {
		for _, name := range names {
			for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
				all[dir] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func keys[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

func inArchive(at string) string { return strings.TrimPrefix(at, "/") }

func packFile(archive *cpio.Writer, at, host string, mode cpio.FileMode) error {
	data, err := os.ReadFile(host)
	if err != nil {
		return fmt.Errorf("pack: %w", err)
	}
	return pack(archive, &cpio.Header{Name: inArchive(at), Mode: cpio.TypeReg | mode}, data)
}

func pack(archive *cpio.Writer, header *cpio.Header, data []byte) error {
	header.Size = int64(len(data))
	if err := archive.WriteHeader(header); err != nil {
		return fmt.Errorf("pack %s: %w", header.Name, err)
	}
	if _, err := archive.Write(data); err != nil {
		return fmt.Errorf("pack %s: %w", header.Name, err)
	}
	return nil
}

// AddResults puts a result folder into the guest as far as it is needed to go on: its
// plan, its records and its ledgers.
func (p *Payload) AddResults(dir string) error {
	for _, name := range []string{"plan.json", "env.json", "results.jsonl"} {
		p.AddFile(path.Join(ResultsPath, name), filepath.Join(dir, name))
	}
	ledgers, err := os.ReadDir(filepath.Join(dir, "ledgers"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	for _, e := range ledgers {
		p.AddFile(path.Join(ResultsPath, "ledgers", e.Name()), filepath.Join(dir, "ledgers", e.Name()))
	}
	return nil
}
