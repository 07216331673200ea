// SPDX-License-Identifier: Apache-2.0

// Package gopcln decodes .gopclntab, the table that Go's linker writes for Go's runtime:
// which functions a program has, and what holds at each of their instructions.
//
//	table, err := gopcln.Open(section, size, order) // ErrFormat: it is none
//	table.Text = text                               // where the code begins
//	err = table.Walk(func(r *gopcln.Record) error { ... })
//	f, ok := table.Find(address)
//	line, ok := table.Value(f, gopcln.Lines, address)
//
// All forms since Go 1.2 are known. Only windows of the table are kept, against
// debug/gosym, which keeps all of it and an object for each function. Tables may be
// hostile: what is read and allocated is bounded.
package gopcln
