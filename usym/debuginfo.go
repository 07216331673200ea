// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"errors"

	"github.com/os2026/ebpf-rca/usym/lines"
)

// debugInfo is the debug information of a file.
type debugInfo struct {
	table *lines.Table
	// shift is how much higher the addresses of the file that is mapped are than those
	// that the table speaks of.
	shift uint64
}

// readLines reads the debug information of from, which is the file mapped or was stripped
// of it, and reports whether there is any.
func (b *builder) readLines(from object, shift uint64) bool {
	if from.file == nil || from.Section(".debug_info") == nil && from.Section(".zdebug_info") == nil {
		return false
	}
	table, err := lines.Read(from.r, from.size)
	if err != nil {
		if !errors.Is(err, lines.ErrNone) {
			b.failed("debug information", err)
		}
		return false
	}
	b.keepOpen(from.file)
	b.lines = &debugInfo{table: table, shift: shift}
	return true
}

// refine says more of an instruction that p is known of: the lines, and what was inlined
// there. The name of the outermost function is that of its symbol, if it has one.
func (d *debugInfo) refine(p place, address uint64) []place {
	if d == nil {
		return []place{p}
	}
	calls := d.table.At(address - d.shift)
	if len(calls) == 0 {
		return []place{p}
	}
	places := make([]place, len(calls))
	for i, c := range calls {
		places[i] = place{function: name{text: c.Function}, file: c.File, line: c.Line, inlined: c.Inlined}
	}
	if last := &places[len(places)-1]; p.function.text != "" {
		last.function = p.function
	}
	return places
}

func (d *debugInfo) bytes() int64 {
	if d == nil {
		return 0
	}
	return int64(d.table.Bytes())
}
