// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// A tid that is handed out again names another thread; starts are known to 10 ms.
func TestSameThread(t *testing.T) {
	at := func(tid int, start time.Duration) contention.ThreadID {
		return contention.ThreadID{TID: tid, Start: start}
	}
	assert.True(t, same(at(7, 50*time.Millisecond), at(7, 59*time.Millisecond)))
	assert.True(t, same(at(7, 59*time.Millisecond), at(7, 50*time.Millisecond)))
	assert.True(t, same(at(7, 0), at(7, time.Hour)), "unknown")
	assert.False(t, same(at(7, 50*time.Millisecond), at(7, 60*time.Millisecond)))
	assert.False(t, same(at(7, 50), at(8, 50)))
}

func TestShare(t *testing.T) {
	list := []results.ThreadBlame{{TID: 1, Time: 30}, {TID: 2, Time: 10}}
	assert.Equal(t, 0.75, share(list, contention.ThreadID{TID: 1}))
	assert.Zero(t, share(list, contention.ThreadID{TID: 3}))
	assert.Zero(t, share(nil, contention.ThreadID{TID: 1}))
}

func TestNames(t *testing.T) {
	n := namesOf([]results.Record{{Findings: []contention.Finding{{
		Culprit:  &contention.Thread{TID: 1, Comm: "w0"},
		Culprits: []contention.Thread{{TID: 2, Comm: "w1"}},
		Victims:  []contention.Victim{{Thread: contention.Thread{TID: 3, Comm: "w2"}}, {Thread: contention.Thread{TID: 4}}},
	}}}})
	assert.Equal(t, names{1: "w0", 2: "w1", 3: "w2"}, n)
	assert.Equal(t, "w2 3", n.label(3))
	assert.Equal(t, "4", n.label(4))
}
