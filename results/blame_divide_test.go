// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestDivideBlame(t *testing.T) {
	stacks := func(weights ...time.Duration) []contention.WeightedStack {
		var list []contention.WeightedStack
		for _, w := range weights {
			list = append(list, contention.WeightedStack{Weight: w})
		}
		return list
	}
	parts := func(blame time.Duration, weights ...time.Duration) []time.Duration {
		var list []time.Duration
		for _, s := range DivideBlame(blame, stacks(weights...)) {
			list = append(list, s.Blame)
		}
		return list
	}
	assert.Equal(t, []time.Duration{75, 25}, parts(100, 3, 1))
	assert.Equal(t, []time.Duration{33, 33, 34}, parts(100, 1, 1, 1), "nothing is lost in rounding")
	assert.Equal(t, []time.Duration{50, 50}, parts(100, 0, 0))
	assert.Empty(t, parts(100))
}

func TestHeldStacks(t *testing.T) {
	held := contention.WeightedStack{Role: contention.HoldingRunnable, Weight: 1}
	f := contention.Finding{Stacks: []contention.WeightedStack{{Role: contention.ReleaseStack, Weight: 9}, held}}
	assert.Equal(t, []contention.WeightedStack{held}, HeldStacks(f))
}
