// SPDX-License-Identifier: Apache-2.0

package gopcln

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWindowReadsAsItsReader(t *testing.T) {
	data := make([]byte, 200<<10)
	for i := range data {
		data[i] = byte(i * 31 >> 3)
	}
	w := &window{r: bytes.NewReader(data), left: 1 << 30}
	for _, at := range []int64{0, 4, 65530, 70000, 3, 199 << 10, 200<<10 - 8} {
		got := make([]byte, 8)
		_, err := w.ReadAt(got, at)
		require.NoError(t, err)
		assert.Equal(t, data[at:at+8], got)
	}
	for _, at := range []int64{200<<10 - 7, 1 << 40, -1} {
		_, err := w.ReadAt(make([]byte, 8), at)
		require.Error(t, err)
	}
}
