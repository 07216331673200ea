// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

// The threads that wait are told, and not the one that has the lock.
func TestParseFutexctn(t *testing.T) {
	a := captured(t, "futexctn.txt", parseFutexctn, mutexHold(23594, inARow(23595)...))
	assert.Equal(t, []string{"w4[23599] 855.765ms", "w3[23598] 811.872ms", "w8[23603] 807.568ms", "w0[23595] 756.409ms"}, ranking(a))
}

func TestParseFutexctnOfOddities(t *testing.T) {
	watched := mutexHold(1, 2)
	const head = "w0[2] lock 0x10 contended %s avg usecs [max: 5 usecs, min 4 usecs]\n"
	entry := func(times string) string { return strings.Replace(head, "%s", times, 1) }
	list, err := parseFutexctn(strings.NewReader(entry("2 times, 3")+"    hold+0x1\n    -\n     usecs               : count    distribution\n         0 -> 1 : 0 | |\n"), watched)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, contention.Stack{{Function: "hold"}}, list[0].stacks[0].Frames, "the histogram is no part of it")
	for times, want := range map[string]string{
		"4294967296 times, 1":          "out of range",
		"4294967295 times, 9999999999": "out of range",
		"1 times, 9223372036854775807": "out of range",
	} {
		_, err := parseFutexctn(strings.NewReader(entry(times)), watched)
		assert.ErrorContains(t, err, want)
	}
}

func FuzzParseFutexctn(f *testing.F) { fuzzParser(f, "futexctn.txt", parseFutexctn) }
