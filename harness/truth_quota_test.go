// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

func TestAQuotaHasTheBlameForWantOfACPU(t *testing.T) {
	cpu := ledger.Resource{Resource: contention.Resource{Kind: contention.CPU}}
	l := window100([]ledger.Resource{lock(0x10), cpu},
		culprit(thread(1, hold(0, 1000, 1060), wait(1, 1020, 1050))),
		thread(2, wait(0, 1010, 1060)), // 30 of it for want of a CPU
		thread(3, wait(1, 1000, 1005)), // in turns with others, which is nobody's fault
	)
	quota := scenarios.Scenario{Class: contention.CPUStarvation, Unnamed: true}
	got := TruthOf(l, quota, contention.FaultVariant)
	assert.Equal(t, []results.ThreadBlame{{Time: 60}, {TID: 1, Start: 1e9, Time: 20}}, got.Root)
	assert.Equal(t, contention.CPU, got.Resource.Kind)
	assert.True(t, got.Nobody)
	assert.Empty(t, got.Culprits)

	l.Threads[0].Culprit, l.Threads[0].WouldBeCulprit = false, true
	assert.Equal(t, blames{1: 50}, byTID(TruthOf(l, quota, contention.TwinVariant).Root))

	l.Threads[0].Culprit = true
	assert.Equal(t, blames{1: 50}, byTID(TruthOf(l, scenarios.Scenario{}, contention.FaultVariant).Root), "where no quota is declared")
}
