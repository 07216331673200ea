// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAccuses(t *testing.T) {
	for _, c := range []Class{LockHolder, KernelLockHolder, SlowProducer, SlowConsumer, Straggler, CPUStarvation, Deadlock, LostWakeup} {
		assert.True(t, c.Accuses(), c)
	}
	for _, c := range []Class{Contended, IO, External} {
		assert.False(t, c.Accuses(), c)
	}
}

func TestFindingJSON(t *testing.T) {
	out, err := json.Marshal(Finding{
		Rank: 1, Class: Contended, Culprits: []Thread{}, Stacks: []WeightedStack{}, Chain: []Hop{},
		Victims: []Victim{{Thread: Thread{PID: 1, TID: 3, Comm: "x", Start: 4}, Wait: time.Microsecond, Count: 2}},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"rank":1,"class":"contended","confidence":0,"blame_ns":0,"share":0,"culprit":null,"culprits":[],
		"resource":{"kind":""},"stacks":[],"chain":[],
		"victims":[{"pid":1,"tid":3,"comm":"x","start_time_ns":4,"wait_ns":1000,"count":2}]}`, string(out))
}

func TestAccused(t *testing.T) {
	one, two := Thread{TID: 1}, Thread{TID: 2}
	for _, test := range []struct {
		finding Finding
		want    []Thread
	}{
		{Finding{Class: LockHolder, Culprit: &one}, []Thread{one}},
		{Finding{Class: Deadlock, Culprit: &one, Culprits: []Thread{one, two}}, []Thread{one, two}},
		{Finding{Class: LockHolder}, nil},
		{Finding{Class: Contended, Culprit: &one}, nil},
	} {
		assert.Equal(t, test.want, test.finding.Accused(), test.finding.Class)
	}
}
