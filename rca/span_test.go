// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSpans(t *testing.T) {
	var l spans
	for _, s := range []span{{50, 60}, {10, 20}, {15, 25}, {25, 30}, {12, 14}, {58, 59}, {70, 71}} {
		l.add(s)
	}
	assert.Equal(t, spans{{50, 60}, {10, 30}, {58, 59}, {70, 71}}, l, "those that touch the last make it longer")
	u := l.union()
	assert.Equal(t, spans{{10, 30}, {50, 60}, {70, 71}}, u)
	assert.Equal(t, time.Duration(31), u.length())
	for s, want := range map[span]time.Duration{
		{0, 10}: 0, {0, 11}: 1, {29, 30}: 1, {30, 50}: 0, {20, 55}: 15, {0, 100}: 31, {60, 70}: 0, {71, 80}: 0, {55, 52}: 0,
	} {
		assert.Equal(t, want, u.overlap(s), "%v", s)
	}
	assert.Empty(t, spans(nil).union())
}
