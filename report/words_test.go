// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 999: "999 ns", 1500: "1.5 µs", 2 * time.Millisecond: "2 ms", 1234567890: "1.23 s", 90 * time.Second: "90 s",
	} {
		assert.Equal(t, want, duration(d))
	}
}

func TestResourceText(t *testing.T) {
	assert.Equal(t, "mutex table+0x0 0x10", resourceText(contention.Resource{Kind: contention.Mutex, Symbol: "table+0x0", Address: 0x10}))
	assert.Equal(t, "pipe inode 7 for room", resourceText(contention.Resource{Kind: contention.Pipe, Inode: 7, Side: contention.ForRoom}))
}

// What colour says, the sign says too.
func TestVerdictsOfUnlikeMeaningHaveUnlikeSigns(t *testing.T) {
	class := map[string]string{}
	for _, v := range verdictOrder {
		m := markOf(v)
		if known, ok := class[m.Sign]; ok {
			assert.Equal(t, known, m.Class, v)
		}
		class[m.Sign] = m.Class
	}
	assert.NotEqual(t, markOf(results.Miss).Sign, markOf(results.FalseAlarm).Sign)
	assert.Equal(t, "?", markOf("of another version").Sign)
}
