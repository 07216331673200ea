// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestUsual(t *testing.T) {
	for _, test := range []struct {
		holds []time.Duration
		want  []time.Duration // of each, in rounds of blame: hold times the number of others
	}{
		{[]time.Duration{40 * ms, 10 * ms}, []time.Duration{10 * ms, 40 * ms}},
		{[]time.Duration{30 * ms, 20 * ms, 10 * ms}, []time.Duration{20 * ms, 20 * ms, 40 * ms}},
		{[]time.Duration{40 * ms, 30 * ms, 20 * ms, 10 * ms}, []time.Duration{60 * ms, 60 * ms, 90 * ms, 90 * ms}},
		{[]time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms}, []time.Duration{30 * ms, 30 * ms, 30 * ms, 30 * ms}},
	} {
		ix := newIndex(&convoy(mutex(1), 1, test.holds...).Trace)
		b := explainAll(ix, nil)
		u := newUsual(ix, b, blameOf)
		for i, want := range test.want {
			key := accountKey{ix.threadNos[id(i+1)], ix.resource(mutex(1)), byHolding}
			assert.Equal(t, want, u.of(key), "thread %d of %v", i+1, test.holds)
		}
	}

	// Who only waits counts too, and who is alone has nobody to be compared with.
	s := newScene(1000*ms, 1, 2, 3)
	s.wait(2, mutex(1), 0, 100*ms, by(1))
	s.wait(3, mutex(1), 0, 200*ms, by(1))
	ix := newIndex(&s.Trace)
	u := newUsual(ix, explainAll(ix, nil), blameOf)
	assert.Zero(t, u.of(accountKey{ix.threadNos[id(1)], ix.resource(mutex(1)), byHolding}))
	assert.Zero(t, u.of(accountKey{ix.threadNos[id(1)], ix.resource(data(5)), byHolding}))
}
