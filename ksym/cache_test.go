// SPDX-License-Identifier: Apache-2.0

package ksym_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/ksym"
)

func TestCache(t *testing.T) {
	if _, err := ksym.Load(); err != nil {
		t.Skipf("the kernel shows no symbols here: %v", err)
	}
	var cache ksym.Cache
	first, err := cache.Load()
	require.NoError(t, err)
	require.NotZero(t, first.Len())
	again, err := cache.Load()
	require.NoError(t, err)
	assert.Same(t, first, again, "no module came in between")
}
