// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTally(t *testing.T) {
	var tally tally[int, int]
	assert.Nil(t, tally.find(0))
	for round := range 3 {
		for key := range 5 * short { // across the change from list to map
			*tally.of(key * 7)++
			v := tally.find(key * 7)
			require.NotNil(t, v)
			require.Equal(t, round+1, *v)
		}
	}
	assert.Nil(t, tally.find(1))
	require.Len(t, tally.entries, 5*short)
	for i, e := range tally.entries {
		assert.Equal(t, i*7, e.key, "in the order of adding")
		assert.Equal(t, 3, e.value)
	}
}

func TestTallyInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var tally tally[int, int]
		want := make(map[int]int)
		for range random.IntN(200) {
			first, n := random.IntN(30), random.IntN(10)
			for key := first; key < first+n; key++ { // runs of keys, as they mostly come
				*tally.of(key)++
				want[key]++
			}
			if key := random.IntN(40); want[key] == 0 {
				require.Nil(t, tally.find(key))
			}
		}
		got := make(map[int]int)
		for _, e := range tally.entries {
			got[e.key] = e.value
		}
		require.Equal(t, want, got)
		tally.clear()
		assert.Nil(t, tally.find(0))
		assert.Empty(t, tally.entries)
		*tally.of(3) = 4
		assert.Equal(t, 4, *tally.find(3))
	}
}
