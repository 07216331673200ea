// SPDX-License-Identifier: Apache-2.0

// Package image knows the files that a process is made of: what is mapped where,
// how to open the very file that is mapped, and where an address lies in it.
//
//	maps, err := image.OpenMaps(pid)           // or ReadMaps of an io.Reader
//	mapping, ok := image.Find(maps, address)
//	file, err := image.Open(pid, mapping)      // an *os.File; close it
//	f, err := image.ReadELF(file, size)        // the outline; f.Damage: some is missing
//	vaddr, ok := image.VirtualAddress(f.Progs, mapping.FileOffset(address))
//	section := f.Section(".debug_frame")       // nil if there is none
//	data, err := section.Bytes(most)           // unpacked
//
// ReadELF, not debug/elf, is for the files of a target, which may be hostile: what it
// reads and allocates is bounded (ErrTooLarge), whatever a file says of itself.
//
// Pids are those of the pid namespace this process runs in. An error that is
// fs.ErrNotExist or ESRCH says that the process is gone.
package image
