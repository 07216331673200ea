// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"debug/dwarf"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// inlinedFrom returns the name of a function inlined from an origin that starts where
// abstract entries do.
func inlinedFrom(t *testing.T, abstract le) string {
	t.Helper()
	origin := uint64(headerSize + len(le{}.unit(0, 0)))
	table := madeWith(append(le{}.unit(codeLow, codeHigh), append(abstract,
		le{}.function(0x2000, 16, "outer").inlined(0x2000, 16, origin, 7).end(3)...)...)).table(t)
	calls := table.At(0x2000)
	requireConsistent(t, calls)
	assert.Len(t, calls, 2)
	return calls[0].Function
}

func TestOriginsAreFollowed(t *testing.T) {
	start := uint64(headerSize + len(le{}.unit(0, 0)))
	size := uint64(len(le{}.abstract("", 0)))
	assert.Equal(t, "direct", inlinedFrom(t, le{}.abstract("direct", 0)))
	assert.Equal(t, "further", inlinedFrom(t, le{}.abstract("", start+size).abstract("further", 0)))

	chain := func(length uint64) le {
		var entries le
		for i := range length {
			entries = entries.abstract("", start+size*(i+1))
		}
		return entries.abstract("last", 0)
	}
	assert.Equal(t, "last", inlinedFrom(t, chain(maxHops-2)))
	assert.Empty(t, inlinedFrom(t, chain(maxHops)), "too far")
}

func TestOriginsThatGoInCircles(t *testing.T) {
	start := uint64(headerSize + len(le{}.unit(0, 0)))
	size := uint64(len(le{}.abstract("", 0)))
	assert.Empty(t, inlinedFrom(t, le{}.abstract("", start)), "to itself")
	assert.Empty(t, inlinedFrom(t, le{}.abstract("", start+size).abstract("", start)), "to and fro")
	assert.Equal(t, "named", inlinedFrom(t, le{}.abstract("named", start)))
	for _, elsewhere := range []uint64{1, headerSize - 1, 1 << 20, 1<<32 - 1} {
		assert.Equal(t, "named", inlinedFrom(t, le{}.abstract("named", elsewhere)), elsewhere)
	}
}

func TestLinkageNameIsPreferred(t *testing.T) {
	m := madeWith(le{}.unit(codeLow, codeHigh).uleb(9).u64(0x2000).u32(8).str("plain").u32(uint64(headerSize) + 17 + 23).
		uleb(10).str("_Zlinkage").end(1))
	m.set(".debug_abbrev", append(abbreviations[:len(abbreviations)-1:len(abbreviations)-1], le{}.
		abbreviation(9, dwarf.TagSubprogram, false, uint64(dwarf.AttrLowpc), uint64(formAddr), uint64(dwarf.AttrHighpc),
			uint64(formData4), uint64(dwarf.AttrName), uint64(formString), uint64(dwarf.AttrSpecification), uint64(formRef4)).
		abbreviation(10, dwarf.TagSubprogram, false, uint64(dwarf.AttrLinkageName), uint64(formString)).u8(0)...))
	calls := m.table(t).At(0x2000)
	assert.Equal(t, []Call{{Function: "_Zlinkage"}}, calls)
}

func TestNamesThatAreTooLong(t *testing.T) {
	assert.Len(t, inlinedFrom(t, le{}.abstract(strings.Repeat("n", maxName-1), 0)), maxName-1)
	assert.Empty(t, inlinedFrom(t, le{}.abstract(strings.Repeat("n", maxName), 0)))
}

func TestJoin(t *testing.T) {
	for _, tt := range [][3]string{
		{"/a", "b", "/a/b"}, {"/a/", "b", "/a/b"}, {"/a", "/b", "/b"}, {"", "b", "b"}, {"a", "../b", "a/../b"}, {"/a", "", ""},
	} {
		assert.Equal(t, tt[2], join(tt[0], tt[1]), tt)
	}
}

func TestNamesAreForgottenWhenTheyAreTooMany(t *testing.T) {
	var cache nameCache
	read := 0
	name := func(entry uint64) string {
		return cache.get(nameKey{entry: entry}, func() string { read++; return strings.Repeat("n", 1<<16) })
	}
	for i := range uint64(200) {
		name(i)
		assert.LessOrEqual(t, cache.bytes, maxKeptNames)
	}
	name(199)
	assert.Equal(t, 200, read)
	name(0)
	assert.Equal(t, 201, read)
}
