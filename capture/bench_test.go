// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkWrite(b *testing.B) {
	c := manyWaits(100_000)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, Write(io.Discard, c))
	}
	b.ReportMetric(float64(len(packed(b, c)))/1e5, "bytes/wait")
}

func BenchmarkRead(b *testing.B) {
	data := packed(b, manyWaits(100_000))
	b.ReportAllocs()
	for b.Loop() {
		_, err := Read(bytes.NewReader(data))
		require.NoError(b, err)
	}
}

// BenchmarkSmall is what reading and writing costs in any case.
func BenchmarkSmall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := Read(bytes.NewReader(packed(b, Capture{})))
		require.NoError(b, err)
	}
}
