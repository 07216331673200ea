// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFrameName(t *testing.T) {
	assert.Equal(t, "flush", Frame{Function: "flush", Module: "server", Address: 0xdead}.Name())
	assert.Equal(t, "server+0x891", Frame{Module: "server", Offset: 0x891, Address: 0xdead}.Name())
	assert.Equal(t, "0xdead", Frame{Address: 0xdead}.Name())
}
