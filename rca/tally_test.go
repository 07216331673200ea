// SPDX-License-Identifier: Apache-2.0

package rca

import (
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
