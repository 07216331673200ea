// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWaitSet(t *testing.T) {
	var empty waitSet
	assert.Zero(t, empty.count())
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var sets [2]waitSet
		var members [2]map[int32]bool
		for i := range sets {
			members[i] = make(map[int32]bool)
			for range random.IntN(100) {
				serial := random.Int32N(1 + random.Int32N(500))
				sets[i].add(serial)
				members[i][serial] = true
			}
			assert.Equal(t, len(members[i]), sets[i].count())
		}
		sets[0].merge(sets[1])
		assert.Equal(t, len(members[1]), sets[1].count(), "left as it is")
		for serial := range members[1] {
			members[0][serial] = true
		}
		sets[0].add(7)
		members[0][7] = true
		assert.Equal(t, len(members[0]), sets[0].count())
	}
}

func TestNeighboursTakeLittleRoom(t *testing.T) {
	var s waitSet
	for serial := range int32(32000) {
		s.add(serial)
	}
	assert.Equal(t, 32000, s.count())
	assert.LessOrEqual(t, len(s.blocks), 1000)
}
