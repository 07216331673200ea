// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlattenGivesEachAddressToTheHighestID(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		spans := make([]span, r.IntN(12))
		for i := range spans {
			low := r.Uint64N(40)
			spans[i] = span{low, low + r.Uint64N(12), int32(r.IntN(20))}
		}
		segments := flatten(spans)
		require.LessOrEqual(t, len(segments), 2*len(spans))
		for address := range uint64(60) {
			expected := nobody
			for _, s := range spans {
				if s.low <= address && address < s.high {
					expected = max(expected, s.id)
				}
			}
			require.Equal(t, expected, find(segments, address), "%d in %v", address, spans)
		}
	}
}

func TestFlattenAtTheEndOfMemory(t *testing.T) {
	segments := flatten([]span{{math.MaxUint64 - 1, math.MaxUint64, 3}, {0, 1, 4}})
	assert.Equal(t, int32(4), find(segments, 0))
	assert.Equal(t, nobody, find(segments, 1))
	assert.Equal(t, int32(3), find(segments, math.MaxUint64-1))
	assert.Equal(t, nobody, find(segments, math.MaxUint64))
	assert.Equal(t, nobody, find(nil, 7))
}

func TestUnion(t *testing.T) {
	got := union([]span{{low: 8, high: 9}, {low: 1, high: 3}, {low: 3, high: 4}, {low: 2, high: 3}})
	assert.Equal(t, []span{{low: 1, high: 4}, {low: 8, high: 9}}, got)
}
