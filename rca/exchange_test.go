// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExchange(t *testing.T) {
	for _, test := range []struct {
		exchange
		slow, even bool
	}{
		{exchange{worst: 900, owed: 0}, true, false},
		{exchange{worst: 900, owed: 299}, true, false},
		{exchange{worst: 900, owed: 300}, false, true},
		{exchange{worst: 900, owed: 2700}, false, true},
		{exchange{worst: 900, owed: 2701}, false, false}, // its victims are the slow ones
	} {
		assert.Equal(t, test.slow, test.exchange.slow(), "%+v", test)
		assert.Equal(t, test.even, test.exchange.even(), "%+v", test)
	}
}

func TestExchangesAddUpOverAllThatIsHandedOn(t *testing.T) {
	// 1 serves 2 by one pipe and 3 by another, and waits for 2 by a lock.
	s := newScene(1000*ms, 1, 2, 3)
	s.wait(2, data(1), 0, 100*ms, by(1))
	s.wait(2, data(2), 200*ms, 250*ms, by(1))
	s.wait(3, data(2), 0, 100*ms, by(1))
	s.wait(1, mutex(1), 300*ms, 360*ms, by(2))
	s.wait(2, mutex(1), 400*ms, 490*ms, by(1)) // nothing that 1 produces
	ix := newIndex(&s.Trace)
	assert.Equal(t, map[threadNo]exchange{
		ix.threadNos[id(1)]: {worst: 150 * ms, owed: 60 * ms},
	}, exchanges(explainAll(ix, nil)))
}
