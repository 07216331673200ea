// SPDX-License-Identifier: Apache-2.0

// Package lines tells which source lines and which inlined functions an address of an
// ELF file belongs to, from its DWARF.
//
//	table, err := lines.Read(file, size) // ErrNone: no DWARF; ErrTooLarge: refused
//	calls := table.At(address)           // the innermost, inlined first; nil if unknown
//
// Read finds out which addresses each compile unit has. The functions and lines of a
// unit are read when the first of its addresses is asked for; what has not been used
// for longest is dropped when too much is kept. Sections that are not compressed stay
// in the file, so the reader given to Read must work for as long as the Table is used.
//
// DWARF 2 to 5 are read, in both byte orders, with 4 or 8 bytes to an address. Not
// followed are split DWARF (.dwo, .dwp), which leaves lines without functions,
// supplementary files (.gnu_debugaltlink) and type signatures, which leave functions
// without names, and relocatable objects, which have no addresses.
//
// Files may be hostile, and debug/dwarf is not proof against them: it allocates what a
// header claims, recurses as deep as entries nest, and decodes an abbreviation table
// anew for each unit that refers to another place in it. So the decoding is done here,
// without recursion, with every size bounded, and with a bound on the work done for a
// unit and for a file (see limits.go). What is beyond a bound is unknown.
package lines
