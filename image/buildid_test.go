// SPDX-License-Identifier: Apache-2.0

package image

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// note is one note, filled up to align after its name and after its contents.
func note(name string, kind uint32, contents string, align int) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(name)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(contents)))
	out = binary.LittleEndian.AppendUint32(out, kind)
	fill := func() {
		for len(out)%align != 0 {
			out = append(out, 0)
		}
	}
	out = append(out, name...)
	fill()
	out = append(out, contents...)
	fill()
	return out
}

func TestParseBuildID(t *testing.T) {
	id := note("GNU\x00", 3, "\x01\x02\xab", 4)
	other := note("Go\x00\x00", 4, "something", 4)
	long := note("GNU\x00", 3, string(make([]byte, maxBuildID+1)), 4)
	tests := []struct {
		name  string
		data  []byte
		align uint64
		want  string
	}{
		{"alone", id, 4, "0102ab"},
		{"no alignment stated", id, 0, "0102ab"},
		{"after another", append(other, id...), 4, "0102ab"},
		{"after properties of 8 byte alignment", append(note("GNU\x00", 5, "property", 8), note("GNU\x00", 3, "\x07", 8)...), 8, "07"},
		{"another's type 3", note("XYZ\x00", 3, "\x01", 4), 4, ""},
		{"longer than any", long, 4, ""},
		{"cut off", id[:len(id)-4], 4, ""},
		{"nothing", nil, 4, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, parseBuildID(tt.data, binary.LittleEndian, tt.align))
		})
	}
}

func FuzzParseBuildID(f *testing.F) {
	f.Add(note("GNU\x00", 3, "\x01\x02\xab", 4), uint64(4))
	f.Add(note("GNU\x00", 5, "property", 8), uint64(8))
	f.Fuzz(func(t *testing.T, data []byte, align uint64) {
		id := parseBuildID(data, binary.LittleEndian, align)
		require.LessOrEqual(t, len(id), 2*min(maxBuildID, len(data)))
		require.Zero(t, len(id)%2)
	})
}
