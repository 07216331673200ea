// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/stretchr/testify/assert"
)

func TestChain(t *testing.T) {
	truth := guilty(1)
	truth.Edges = []Edge{{Waiter: 3, Holder: 2}, {Waiter: 2, Holder: 1}, {Waiter: 4, Holder: 1}, {Waiter: 5, Holder: 1}}
	truth.Ways = truth.Edges
	f := victims(accuse(1), 9)
	f.Chain = []contention.Hop{{Waiter: 3, Holder: 2}, {Waiter: 2, Holder: 1}, {Waiter: 2, Holder: 1}, {Waiter: 3, Holder: 1}}
	assert.Equal(t, Chain{Precision: 2.0 / 3, Recall: 0.5}, graded(truth, fault, false, f).Chain)
	assert.Equal(t, Chain{Precision: 1, Recall: 0.25}, graded(truth, fault, false, victims(accuse(1), 4)).Chain, "victims where there is no chain")
	assert.Zero(t, graded(truth, fault, false, inform(contention.External, 1)).Chain)
}

func TestChainPassesOverEdgesThatTookHardlyAnyTime(t *testing.T) {
	truth := []Edge{{Waiter: 2, Holder: 1, Time: time.Second}, {Waiter: 3, Holder: 2, Time: time.Microsecond}}
	f := accuse(1)
	f.Chain = []contention.Hop{
		{Waiter: 2, Holder: 1, Wait: time.Second},
		{Waiter: 1, Holder: 3, Wait: time.Microsecond},
	}
	assert.Equal(t, Chain{Precision: 1, Recall: 1}, chain(Truth{Edges: truth, Ways: truth}, []contention.Finding{f}))
	f.Chain[1].Wait = time.Second
	assert.Equal(t, Chain{Precision: 0.5, Recall: 1}, chain(Truth{Edges: truth, Ways: truth}, []contention.Finding{f}))
	truth[1].Time = time.Second
	assert.Equal(t, Chain{Precision: 0.5, Recall: 0.5}, chain(Truth{Edges: truth, Ways: truth}, []contention.Finding{f}))
}

func TestChainLeavesOutWhoWaitsForOthers(t *testing.T) {
	ways := []Edge{{Waiter: 1, Holder: 2, Time: time.Second}, {Waiter: 2, Holder: 3, Time: time.Second}}
	truth := Truth{Ways: ways, Edges: append(ways, Edge{Waiter: 4, Holder: 5, Time: time.Second})}
	f := contention.Finding{Class: contention.LockHolder, Chain: []contention.Hop{
		{Waiter: 1, Holder: 2, Wait: time.Second}, {Waiter: 2, Holder: 3, Wait: time.Second},
	}}
	assert.Equal(t, Chain{Precision: 1, Recall: 1}, chain(truth, []contention.Finding{f}))
	f.Chain = f.Chain[:1]
	assert.Equal(t, Chain{Precision: 1, Recall: 0.5}, chain(truth, []contention.Finding{f}))
	assert.InDelta(t, 2.0/3, chain(truth, []contention.Finding{f}).F1(), 1e-9)
	f.Chain[0] = contention.Hop{Waiter: 4, Holder: 5, Wait: time.Second}
	assert.Equal(t, Chain{Precision: 1, Recall: 0}, chain(truth, []contention.Finding{f}))
	assert.Zero(t, Chain{}.F1())
}
