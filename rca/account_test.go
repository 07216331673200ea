// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestShare(t *testing.T) {
	first := []hop{{waiter: 1, holder: 2}}
	var s share
	for _, l := range []leaf{
		{span: span{0, 10}, path: first},
		{span: span{40, 70}, path: first, idle: true},
		{span: span{10, 40}, path: first},
		{span: span{70, 75}, path: first},
	} {
		s.add(&l)
	}
	assert.Equal(t, share{time: 75, idle: 30, longest: span{10, 40}, path: first}, s, "the first of the longest")
}

func TestHarmIsDoneToEachVictim(t *testing.T) {
	var a account
	victims := []victim{{thread: 7, serial: 3, stack: 1}, {thread: 8, serial: 5, stack: 2}}
	a.harm(victims, &share{time: 20, idle: 5, longest: span{0, 15}, path: []hop{{nobody, 2, 4, byRelease}, {2, 9, 5, byOwner}}})
	a.harm(victims[:1], &share{time: 10, longest: span{30, 40}})
	first := *a.victims.find(7)
	assert.Equal(t, span{0, 15}, first.longest)
	assert.Equal(t, contention.StackID(1), first.stack)
	assert.EqualValues(t, 30, first.time)
	assert.EqualValues(t, 5, first.idle)
	assert.Equal(t, 1, first.waits.count(), "one wait in two parts")
	assert.EqualValues(t, 20, a.victims.find(8).time)
	assert.Equal(t, map[hop]stretch{
		{7, 2, 4, byRelease}: {20, nearness(0)},
		{8, 2, 4, byRelease}: {20, nearness(0)},
	}, valuesOf(&a.hops), "further hops are of no victim in particular")
}
