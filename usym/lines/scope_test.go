// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChildrenMayReachOutOfTheirParents(t *testing.T) {
	origin := uint64(headerSize + 17)
	table := madeWith(le{}.unit(codeLow, codeHigh).abstract("inner", 0).
		function(0x2000, 16, "outer").inlined(0x2008, 32, origin, 7).end(2).
		function(0x2010, 8, "next").end(2)).table(t)
	assert.Equal(t, []Call{{Function: "outer"}}, table.At(0x2007))
	assert.Equal(t, []Call{{Function: "inner", Inlined: true}, {Function: "outer", Line: 7}}, table.At(0x200f))
	assert.Equal(t, []Call{{Function: "next"}}, table.At(0x2010))
	assert.Equal(t, []Call{{Function: "inner", Inlined: true}, {Function: "outer", Line: 7}}, table.At(0x2027))
	assert.Nil(t, table.At(0x2028))
}

func TestInlinedCallOutsideOfAnyFunction(t *testing.T) {
	table := madeWith(le{}.unit(codeLow, codeHigh).inlined(0x2000, 16, 0, 1).end(2)).table(t)
	assert.Nil(t, table.At(0x2000))
}

func TestCallsInlinedTooDeep(t *testing.T) {
	entries := le{}.unit(codeLow, codeHigh).function(0x2000, 0x1000, "f")
	const depth = maxInlined + 100
	for i := range uint64(depth) {
		entries = entries.inlined(0x2000, 0x1000-i, 0, i+1)
	}
	table := madeWith(entries.end(depth + 2)).table(t)
	calls := table.At(0x2000)
	require.Len(t, calls, maxInlined+1)
	requireConsistent(t, calls)
	assert.Equal(t, "f", calls[maxInlined].Function)
	assert.Equal(t, 1, calls[maxInlined].Line)
}

func TestEntriesNestedTooDeep(t *testing.T) {
	entries := le{}.unit(codeLow, codeHigh)
	for range maxNesting + 1 {
		entries = entries.function(0, 0, "")
	}
	table := madeWith(entries.function(0x2000, 16, "f").end(maxNesting + 3)).table(t)
	assert.Nil(t, table.At(0x2000))
}

func TestEntriesThatEndTooSoon(t *testing.T) {
	// Neither the end of the children of the unit nor that of the function.
	table := madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f")).table(t)
	assert.Equal(t, []Call{{Function: "f"}}, table.At(0x2000))
	// An abbreviation that there is none of.
	table = madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f").uleb(99)).table(t)
	assert.Nil(t, table.At(0x2000))
	// What follows the unit's last child is padding.
	table = madeWith(le{}.unit(codeLow, codeHigh).function(0x2000, 16, "f").end(2).uleb(99)).table(t)
	assert.Equal(t, []Call{{Function: "f"}}, table.At(0x2000))
}
