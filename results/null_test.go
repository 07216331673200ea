// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlanNulls(t *testing.T) {
	planned, absent := Plan{Analyzers: []string{"rca", "random", "last-waker"}}.nulls()
	assert.Equal(t, []string{"last-waker", "random"}, planned)
	assert.Equal(t, []string{"longest-waiter", "most-cpu", "most-wakeups"}, absent)
	assert.False(t, IsNull("rca"))
}
