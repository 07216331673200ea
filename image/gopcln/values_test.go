// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValues(t *testing.T) {
	type value struct {
		value int32
		end   uint64
	}
	tests := []struct {
		name    string
		data    []byte
		quantum uint32
		want    []value
	}{
		{"up and down", []byte{2, 1, 16, 7, 15, 2, 0}, 1, []value{{0, 1}, {8, 8}, {0, 10}}},
		{"in steps of four", []byte{2, 1, 16, 7, 0}, 4, []value{{0, 4}, {8, 32}}},
		{"the first may be no change", []byte{0, 5, 0}, 1, []value{{-1, 5}}},
		{"long numbers", []byte{0x80, 0x02, 0x80, 0x01, 0}, 1, []value{{127, 128}}},
		{"no end", []byte{2, 1}, 1, []value{{0, 1}}},
		{"cut off", []byte{2, 1, 16}, 1, []value{{0, 1}}},
		{"no way forward", []byte{2, 0, 2, 1}, 1, nil},
		{"nothing", nil, 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []value
			for v := WalkValues(bytes.NewReader(tt.data), tt.quantum); v.Next(); {
				got = append(got, value{v.Value, v.End})
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
