// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"cmp"
	"slices"
)

const (
	noFile   = 1<<32 - 1 // of the row that ends a sequence
	rowBytes = 16
)

// row says which line the instructions from address to the next row come from.
type row struct {
	address uint64
	file    uint32
	line    uint32
}

func byAddress(a, b row) int { return cmp.Compare(a.address, b.address) }

// from returns the rows for the addresses from low on.
func from(rows []row, low uint64) []row {
	i, exact := slices.BinarySearchFunc(rows, low, func(r row, low uint64) int { return cmp.Compare(r.address, low) })
	if exact || i == 0 {
		return rows[i:]
	}
	rows = rows[i-1:]
	rows[0].address = low
	return rows
}

// appendRows appends rows less those that say the same as the one before.
func appendRows(out, rows []row) []row {
	for _, r := range rows {
		last := len(out) - 1
		if last >= 0 && out[last].file == r.file && out[last].line == r.line {
			continue
		}
		// An end is overruled by what starts there.
		if last >= 0 && out[last].address == r.address {
			out[last] = r
			continue
		}
		out = append(out, r)
	}
	return out
}

// lineAt returns the row for an address.
func lineAt(rows []row, address uint64) (row, bool) {
	i, exact := slices.BinarySearchFunc(rows, address, func(r row, address uint64) int {
		return cmp.Compare(r.address, address)
	})
	if !exact {
		i--
	}
	if i < 0 || rows[i].file == noFile {
		return row{}, false
	}
	return rows[i], true
}

// rowSpans returns the addresses that rows are about.
func rowSpans(rows []row) []span {
	var out []span
	low, open := uint64(0), false
	for _, r := range rows {
		switch {
		case r.file == noFile:
			out = append(out, span{low: low, high: r.address})
			open = false
		case !open:
			low, open = r.address, true
		}
	}
	return out
}
