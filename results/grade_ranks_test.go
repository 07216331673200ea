// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/stretchr/testify/assert"
)

func TestRanksAreIndependent(t *testing.T) {
	truth := guilty(1)
	truth.Edges = []Edge{{Waiter: 7, Holder: 1}}

	first := victims(accuse(2), 7) // innocent, but in the right process
	second := accuse(2)            // its stack shows the function
	second.Stacks = []contention.WeightedStack{{Role: contention.HoldingOnCPU, Frames: contention.Stack{{Function: "futex_wait"}, {Function: "hold.constprop.0"}}}}
	third := accuse(2)
	third.Class = contention.SlowProducer
	third.Resource = truth.Resource
	fourth := accuse(1)
	fifth := victims(accuse(1), 8, 7)

	g := graded(truth, fault, false, first, second, third, fourth, fifth)
	assert.Equal(t, Ranks{Class: 1, Process: 1, Thread: 2, Resource: 3, Frame: 2, Edge: 5}, g.Ranks,
		"the innocent thread's three findings are one place at thread level")
}

func TestRanksOfNothing(t *testing.T) {
	assert.Zero(t, graded(guilty(1), fault, false).Ranks)
	assert.Zero(t, graded(Truth{}, twin, false, accuse(1)).Ranks, "a twin has no truth to rank")
}

func TestResourcesMatchByAddressOrInode(t *testing.T) {
	mutex := contention.Resource{Kind: contention.Mutex, Address: 0x40}
	pipe := contention.Resource{Kind: contention.Pipe, Inode: 9}
	assert.True(t, sameResource(mutex, contention.Resource{Kind: contention.Mutex, Address: 0x40, Symbol: "m", PID: 3}))
	assert.False(t, sameResource(mutex, contention.Resource{Kind: contention.Futex, Address: 0x40}))
	assert.False(t, sameResource(mutex, contention.Resource{Kind: contention.Mutex, Address: 0x48}))
	assert.True(t, sameResource(pipe, contention.Resource{Kind: contention.Pipe, Inode: 9, Side: contention.ForRoom}))
	assert.False(t, sameResource(contention.Resource{Kind: contention.Mutex}, contention.Resource{Kind: contention.Mutex}))
	assert.False(t, sameResource(contention.Resource{}, contention.Resource{}))

	rwsem := contention.Resource{Kind: contention.KernelRWSem, Address: 0xffff888000000010}
	assert.True(t, sameResource(contention.Resource{Kind: contention.KernelRWSem}, rwsem), "a ledger cannot know its address")
	assert.False(t, sameResource(contention.Resource{Kind: contention.KernelMutex}, rwsem))
}

func TestAnyResourceOfACircleIsRight(t *testing.T) {
	at := func(address contention.Address) contention.Resource {
		return contention.Resource{Kind: contention.Mutex, Address: address}
	}
	truth := Truth{Resource: at(1), Circle: []contention.Resource{at(1), at(2)}}
	assert.True(t, isTrueResource(truth, at(1)))
	assert.True(t, isTrueResource(truth, at(2)))
	assert.False(t, isTrueResource(truth, at(3)))
	assert.False(t, isTrueResource(Truth{}, contention.Resource{}))
}

func TestFunctionsMatchWhole(t *testing.T) {
	truth := guilty(1)
	assert.True(t, isTrueFunction(truth, "hold"))
	assert.False(t, isTrueFunction(truth, "holder"))
	assert.False(t, isTrueFunction(truth, ""))
}
