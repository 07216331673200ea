// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParseRunDelay(t *testing.T) {
	assert.Equal(t, 1234*time.Nanosecond, parseRunDelay("99 1234 5\n"))
	assert.Zero(t, parseRunDelay(""))
	assert.Zero(t, parseRunDelay("1 x 3"))
	assert.Zero(t, parseRunDelay("1 2"))
	assert.Zero(t, runDelay(-1))
	assert.Zero(t, runDelay(os.Getpid()), "no thread of this process is a guest's CPU")
}

func TestNeglect(t *testing.T) {
	assert.Empty(t, neglect(10*time.Second, time.Second))
	assert.Equal(t, "the host kept the guest from a CPU for 1.1s of 10s", neglect(10*time.Second, 1100*time.Millisecond))
	assert.Empty(t, neglect(60*time.Millisecond, 50*time.Millisecond), "as good as nothing")
	var a attention
	assert.Empty(t, a.end(), "nothing is played")
}
