// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBatchKeepsRecordsApart(t *testing.T) {
	b := newBatch()
	record := []byte("one")
	b.add(record)
	copy(record, "xxx") // the reader uses its buffer again
	b.add([]byte("three"))
	assert.False(t, b.full())
	var got []string
	each := func(record []byte) error {
		got = append(got, string(record))
		return nil
	}
	assert.NoError(t, b.each(each))
	assert.Equal(t, []string{"one", "three"}, got)

	stop := errors.New("stop")
	assert.Equal(t, stop, b.each(func([]byte) error { return stop }))
	b.add(bytes.Repeat([]byte{1}, batchBytes))
	assert.True(t, b.full())
}
