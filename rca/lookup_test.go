// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSearchNearFindsWhatSearchDoes(t *testing.T) {
	for n := range 20 {
		for first := range n + 1 {
			f := func(i int) bool {
				require.Less(t, i, n)
				return i >= first
			}
			require.Equal(t, first, sort.Search(n, f))
			for near := range n + 3 { // a list may be shorter than it was
				require.Equal(t, first, searchNear(n, near, f), "of %d near %d", n, near)
			}
		}
	}
}
