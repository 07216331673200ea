// SPDX-License-Identifier: Apache-2.0

// Package ksym names kernel addresses.
//
// Load reads the running kernel's table and Table.Resolve looks an address up:
//
//	table, err := ksym.Load()
//	if err != nil {
//		// A warning: table is usable and resolves what could be read.
//	}
//	symbol, ok := table.Resolve(address)
//
// An error never comes without a table. ErrRestricted says that the kernel hides
// its addresses from this process, fs.ErrNotExist that it has no table at all; in
// both cases nothing resolves and callers print addresses instead. A nil table
// resolves nothing either.
package ksym
