// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSpeedDifferences(t *testing.T) {
	env := func(change, late time.Duration) Env {
		return Env{Speed: &Speed{Switch: change, OversleepP90: late}}
	}
	of := func(envs ...Env) []Difference { return speedDifferences(envs) }
	const us, ms = time.Microsecond, time.Millisecond
	assert.Empty(t, of(env(5*us, 100*us), env(9*us, 900*us)), "noise")
	assert.Equal(t, []Difference{{Property: "switch_time", Values: []string{"5µs", "10µs"}}}, of(env(5*us, 0), env(10*us, 0)))
	assert.Equal(t, []Difference{{Property: "oversleep_p90", Values: []string{"100µs", "2ms"}}}, of(env(5*us, 100*us), env(5*us, 2*ms)))
	assert.Empty(t, of(env(5*us, 0), Env{}), "one was not measured")
}
