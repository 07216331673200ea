// SPDX-License-Identifier: Apache-2.0

package lines

// What is larger than this is refused, or unknown where it is a part of a file.
const (
	// maxInfo is the size of .debug_info.
	maxInfo = 512 << 20
	// maxInflated is what all compressed sections may come to in memory.
	maxInflated = 128 << 20

	maxUnits      = 1 << 17
	maxUnitRanges = 1 << 20 // of all units together

	// Of one unit:
	maxUnitSize = 32 << 20 // of its entries, and of its line program
	maxScopes   = 1 << 20
	maxSpans    = 1 << 20
	maxRows     = 2 << 20
	maxFiles    = 1 << 17
	maxNesting  = 1 << 12 // of entries
	// maxInlined is the nesting of inlined calls. What is inlined deeper is taken for
	// a part of its caller.
	maxInlined = 255

	maxAbbrevs     = 1 << 16 // of a table
	maxAbbrevAttrs = 1 << 18
	maxHops        = 16 // from an entry to the one that has its name
	maxName        = 16 << 10

	// What may be kept. The unit used last stays even if it is larger.
	maxKeptUnits   = 24 << 20
	maxKeptAbbrevs = 4 << 20
	maxKeptNames   = 4 << 20
)

// Work is counted in steps of five to ten nanoseconds: an attribute, an opcode, a range, or
// 16 bytes read.
const (
	indexSteps = 1 << 26
	unitSteps  = 1 << 27
	nameSteps  = 1 << 20
	// abbrevSteps is for an attribute of an abbreviation, which is kept.
	abbrevSteps = 8
	// fileSteps is for all that is ever done for a file: ten to twenty seconds.
	fileSteps = 1 << 31
)

// meter is the work that may still be done, for one task and for the whole file.
type meter struct {
	task, file int64
}

// start allows a task of so many steps.
func (m *meter) start(steps int64) { m.task = min(steps, m.file) }

// spend counts work and says whether it may be done.
func (m *meter) spend(steps int) bool {
	m.task -= int64(steps)
	m.file -= int64(steps)
	return m.task >= 0
}
