// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/os2026/ebpf-rca/image"
)

// origin is where a file was found, and so where to look for what was stripped from
// it.
type origin struct {
	pid  int    // whose root directory path is in
	path string // "" for what has none
}

// readModule reads the symbols of an ELF file and of what was stripped from it. The
// module is nil if r is no ELF file; else the error says which sources of names had to
// be left out. It owns file if it has it among its files; r may be a part of memory
// and file nil.
func readModule(r io.ReaderAt, size int64, file *os.File, from origin) (m *module, err error) {
	// debug/elf is not proof against every file.
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("read symbols: panic: %v", p)
		}
	}()
	mapped, err := openObject(r, size, file)
	if err != nil {
		return nil, err
	}
	b := new(builder)
	b.failed("symbols", b.symbols(mapped, elf.SHT_SYMTAB, 0))
	b.complete = b.locals // those are the first that strip takes
	b.failed("dynamic symbols", b.symbols(mapped, elf.SHT_DYNSYM, 0))
	b.failed("PLT", b.plt(mapped))
	golang := b.stripped(mapped, from)
	m = b.module(mapped.ELF)
	m.golang = golang
	return m, errors.Join(b.errs...)
}

func openObject(r io.ReaderAt, size int64, file *os.File) (object, error) {
	f, err := image.ReadELF(r, size)
	if err != nil {
		return object{}, err
	}
	if f.Damage != nil {
		return object{}, f.Damage
	}
	return object{ELF: f, r: r, size: size, file: file}, nil
}

// stripped looks for the symbols and lines that mapped itself does not have.
func (b *builder) stripped(mapped object, from origin) *goTable {
	if hasLines := b.readLines(mapped, 0); !b.complete || !hasLines {
		b.debugFile(mapped, from)
	}
	if !b.complete {
		b.failed(".gnu_debugdata", b.debugData(mapped))
	}
	if b.complete {
		return nil
	}
	golang, err := b.golang(mapped)
	b.failed("Go functions", err)
	return golang
}

// debugFile adds the symbols of a separate debug file.
func (b *builder) debugFile(mapped object, from origin) {
	debug, err := findDebugFile(mapped, from)
	if err != nil {
		b.failed("debug file", err)
		return
	}
	if debug.file == nil {
		return
	}
	if !b.complete {
		b.failed("symbols of the debug file", b.separate(mapped, debug))
	}
	if b.lines == nil {
		b.readLines(debug, shift(mapped.ELF, debug.ELF))
	}
	if !slices.Contains(b.files, debug.file) {
		debug.file.Close()
	}
}

// separate adds the symbols of a file that was stripped from mapped, which may have
// been given other addresses since.
func (b *builder) separate(mapped, debug object) error {
	before := len(b.functions)
	err := b.symbols(debug, elf.SHT_SYMTAB, shift(mapped.ELF, debug.ELF))
	b.complete = b.complete || len(b.functions) > before
	return err
}

// shift is how much higher the addresses of mapped are than those of debug.
func shift(mapped, debug *image.ELF) uint64 {
	to, from := loaded(mapped.Progs), loaded(debug.Progs)
	if len(to) == 0 || len(from) == 0 {
		return 0
	}
	return to[0].Vaddr - from[0].Vaddr
}
