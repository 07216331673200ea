// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

type packedWait struct {
	kind  int32
	times waitTimes
}

func unpackAll(p *packedWaits) []packedWait {
	var list []packedWait
	p.each(func(place int, kind int32, t waitTimes) {
		if place == len(list) {
			list = append(list, packedWait{kind, t})
		}
	})
	return list
}

func TestPackedWaitsAreGivenBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	instant := func() time.Duration {
		if random.IntN(4) == 0 {
			return 0
		}
		return time.Duration(random.Int64() >> random.IntN(63))
	}
	want := []packedWait{
		{},
		{math.MaxInt32, waitTimes{math.MaxInt64, 1, math.MaxInt64, math.MaxInt64, math.MaxInt32}},
		{1, waitTimes{begin: 10, woken: 5, ran: 3, occupied: 7}}, // whatever the order
	}
	for range 20000 {
		want = append(want, packedWait{random.Int32(), waitTimes{instant(), instant(), instant(), instant(), random.Int32()}})
	}
	var p packedWaits
	for _, w := range want {
		p.add(w.kind, w.times)
	}
	assert.Equal(t, want, unpackAll(&p))
	assert.Equal(t, len(want), p.count)
	assert.Greater(t, len(p.chunks), 1)
}

// Two threads that hand a turn to each other a hundred thousand times a second.
func TestPackedWaitsAreSmall(t *testing.T) {
	var p packedWaits
	const n = 10000
	for i := range n {
		begin := time.Hour + time.Duration(i)*10*time.Microsecond
		p.add(int32(i%2), waitTimes{begin: begin, woken: begin + 8*time.Microsecond, ran: begin + 9*time.Microsecond, occupant: 1, occupied: 8 * time.Microsecond})
	}
	bytes := 0
	for _, chunk := range p.chunks {
		bytes += cap(chunk)
	}
	assert.Less(t, bytes/n, 16)
}
