// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMeasureSpeed(t *testing.T) {
	speed, err := MeasureSpeed()
	require.NoError(t, err)
	assert.Positive(t, speed.OversleepMedian, "no sleep ends early")
	assert.GreaterOrEqual(t, speed.OversleepP90, speed.OversleepMedian)
	assert.Positive(t, speed.Switch)
}
