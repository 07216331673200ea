// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/bpf"
)

func TestVersion(t *testing.T) {
	r := do(t, "version")
	assert.Equal(t, exitGood, r.code)
	assert.Regexp(t, `^ebpf-rca \S+\ncommit \S+\nobjects [0-9a-f]{8,}\ngo1\.\S+ linux/\S+\n$`, r.stdout)
	assert.Contains(t, r.stdout, bpf.Hash())
}
