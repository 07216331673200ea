// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteJUnit(t *testing.T) {
	records := join(
		play(1, "m", fault, Hit), play(1, "m", fault, Miss), play(1, "m", twin, FalseAlarm),
		play(1, "m", twin, CorrectReject), play(1, "m", fault, Unsupported), play(1, "m", fault, Invalid),
		play(1, "n", fault, Lost), play(1, "n", fault, Infra), play(1, "n", fault, Timeout), play(1, "n", fault, Untrusted))
	records[0].Timing = Timing{Setup: time.Second, Capture: 500 * time.Millisecond}
	records[4].Reason = "needs <kernel> 5.19 & \"more\"\x01"
	var b strings.Builder
	require.NoError(t, WriteJUnit(&b, folderOf(rcaOnly, records...)))
	assert.True(t, strings.HasPrefix(b.String(), xml.Header))

	var got junitSuites
	require.NoError(t, xml.Unmarshal([]byte(b.String()), &got))
	assert.Equal(t, [4]int{10, 2, 5, 1}, [4]int{got.Tests, got.Failures, got.Errors, got.Skipped})
	require.Len(t, got.Suites, 2)
	m := got.Suites[0]
	assert.Equal(t, [4]int{6, 2, 1, 1}, [4]int{m.Tests, m.Failures, m.Errors, m.Skipped})
	assert.Equal(t, "m/fault/seed=1", m.Cases[0].Name)
	assert.Equal(t, "1.500", m.Cases[0].Seconds)
	assert.Nil(t, m.Cases[0].Failure)
	require.NotNil(t, m.Cases[1].Failure)
	assert.Equal(t, "miss, thread rank 0", m.Cases[1].Failure.Message)
	require.NotNil(t, m.Cases[4].Skipped)
	assert.Equal(t, "unsupported: needs <kernel> 5.19 & \"more\"\uFFFD", m.Cases[4].Skipped.Message)
}

func TestWriteJUnitTakesTheFirstAnalyzer(t *testing.T) {
	var b strings.Builder
	f := folderOf([]string{"rca", "last-waker"}, play(1, "m", fault, Hit)[0], play(1, "m", fault, Miss)[0])
	require.NoError(t, WriteJUnit(&b, f))
	assert.Contains(t, b.String(), `tests="1" failures="0"`)
}

func TestJUnitOfASweep(t *testing.T) {
	records := join(play(1, "m", fault, Miss), play(1, "m", fault, Invalid), play(1, "m", twin, FalseAlarm), play(1, "m", twin, Invalid))
	suite := newSuite("m", records, true)
	assert.Equal(t, [4]int{4, 1, 1, 2}, [4]int{suite.Tests, suite.Failures, suite.Errors, suite.Skipped})
	records[0].Seed, records[0].Dose = 3, ms(1)
	assert.Equal(t, "m/fault/seed=3/hold-ns=1000000/contenders=4/noise=0", newCase(records[0], true).Name)
	assert.Equal(t, "m/fault/seed=3", newCase(records[0], false).Name)
}
