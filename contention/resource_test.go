// SPDX-License-Identifier: Apache-2.0

package contention

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddressText(t *testing.T) {
	for address, text := range map[Address]string{0: "0x0", 0x7f00deadbeef: "0x7f00deadbeef", 1<<64 - 1: "0xffffffffffffffff"} {
		assert.Equal(t, text, address.String())
		var back Address
		require.NoError(t, back.UnmarshalText([]byte(text)))
		assert.Equal(t, address, back)
	}
	for _, text := range []string{"", "x", "-1", "0x10000000000000000"} {
		var a Address
		assert.ErrorContains(t, a.UnmarshalText([]byte(text)), "address")
	}
}

func TestResourceJSON(t *testing.T) {
	r := Resource{Kind: Mutex, Address: 0x10, PID: 7}
	out, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{"kind":"mutex","address":"0x10","pid":7}`, string(out))
	var back Resource
	require.NoError(t, json.Unmarshal(out, &back))
	assert.Equal(t, r, back)
}

func TestResourceCompareTellsAllApart(t *testing.T) {
	// Each differs from the first in one field.
	list := []Resource{
		{}, {Kind: Pipe}, {Address: 1}, {Device: 1}, {Inode: 1}, {PID: 1}, {TID: 1}, {Side: ForData}, {Symbol: "x"},
	}
	for i, a := range list {
		for j, b := range list {
			assert.Equal(t, i == j, a.Compare(b) == 0, "%+v %+v", a, b)
			assert.Equal(t, a.Compare(b), -b.Compare(a))
		}
	}
}
