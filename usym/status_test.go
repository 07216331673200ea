// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadStatus(t *testing.T) {
	s, err := readStatus(strings.NewReader("Name:\tUid: 7\nUid:\t1000\t1001\t1002\t1003\nNSpid:\t4711\t12\t1\n"))
	require.NoError(t, err)
	assert.Equal(t, status{uids: []uint32{1000, 1001, 1002, 1003}, innermostPid: 1}, s)
	for _, text := range []string{"", "Uid:\t1\n", "NSpid:\t1\n", "NSpid:\n", "Uid:\tx\nNSpid:\t1\n", "Uid:\t1\nNSpid:\tx\n"} {
		_, err := readStatus(strings.NewReader(text))
		require.Error(t, err, text)
	}
	s, err = openStatus(os.Getpid())
	require.NoError(t, err)
	assert.Contains(t, s.uids, uint32(os.Getuid()))
}

func TestStartTime(t *testing.T) {
	ticks, err := parseStartTicks("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21")
	require.NoError(t, err)
	assert.Equal(t, uint64(4242), ticks)
	for _, text := range []string{"", "7 (a) S 1 2", "7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x"} {
		_, err := parseStartTicks(text)
		require.Error(t, err, text)
	}
	p := start(t, build(t))
	got, err := startTime(p.pid)
	require.NoError(t, err)
	assert.WithinRange(t, got, time.Now().Add(-30*time.Second), time.Now())
}
