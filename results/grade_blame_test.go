// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/stretchr/testify/assert"
)

func TestBlame(t *testing.T) {
	truth := guilty(1, 2)
	truth.Root = []ThreadBlame{
		{TID: 1, Start: 10 * time.Millisecond, Time: 60},
		{TID: 2, Start: 20 * time.Millisecond, Time: 20},
		{TID: 3, Start: 30 * time.Millisecond, Time: 20},
	}
	charges := []contention.Charge{
		{Thread: thread(1), Blame: 40}, // half of it
		{Thread: thread(2), Blame: 20},
		{Thread: thread(4), Blame: 20},
	}
	b := Grade(truth, fault, contention.Analysis{Charges: charges}, false).Blame
	assert.EqualValues(t, 60, b.Found)
	assert.EqualValues(t, 80, b.True)
	assert.InDelta(t, 0.25, b.Error, 1e-12)
	assert.InDelta(t, (.10+.05+.20+.25)/2, b.TVDistance, 1e-12)
}

func TestBlameOfNobody(t *testing.T) {
	truth := Truth{Nobody: true, Root: []ThreadBlame{{Time: 80}, {TID: 3, Time: 20}}}
	charges := []contention.Charge{{Blame: 60}, {Thread: thread(3), Blame: 40}}
	b := Grade(truth, fault, contention.Analysis{Charges: charges}, false).Blame
	assert.EqualValues(t, 60, b.Found)
	assert.EqualValues(t, 80, b.True)
	assert.InDelta(t, 0.25, b.Error, 1e-12)
	assert.InDelta(t, 0.2, b.TVDistance, 1e-12)
}

func TestTVDistanceAtTheEnds(t *testing.T) {
	root := []ThreadBlame{{TID: 1, Time: 5}}
	charges := []contention.Charge{{Thread: thread(1), Blame: 9}}
	assert.Equal(t, 0.0, tvDistance(nil, nil))
	assert.Equal(t, 1.0, tvDistance(root, nil))
	assert.Equal(t, 1.0, tvDistance(nil, charges))
	assert.Equal(t, 0.0, tvDistance(root, charges))
	assert.Equal(t, 1.0, tvDistance(root, []contention.Charge{{Thread: thread(2), Blame: 1}}))
	assert.Equal(t, 0.0, tvDistance(root, append(charges, contention.Charge{Thread: thread(2)})))
}
