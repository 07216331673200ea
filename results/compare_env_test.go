// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDifferences(t *testing.T) {
	steal := .5
	a := &Folder{Env: Env{KernelRelease: "6.1.0", Accel: "kvm", CPUs: 2, ToolCommit: "x", Load: []float64{1, 2, 3}}}
	b := &Folder{Env: Env{KernelRelease: "6.2.0", Accel: "tcg", CPUs: 2, ToolCommit: "x", Steal: &steal}}
	c := &Folder{Env: Env{KernelRelease: "6.2.0", CPUs: 2, ToolCommit: "x"}}
	assert.Equal(t, []Difference{{Property: "accel", Values: []string{"kvm", "tcg", ""}}}, differences([]*Folder{a, b, c}))
	assert.Empty(t, differences([]*Folder{a, a}))

	d := &Folder{Env: Env{KernelRelease: "6.2.0", Accel: "tcg", Architecture: "arm64", ClockSource: "tsc", Preemption: "full", CPUs: 4, ToolCommit: "x"}}
	var order []string
	for _, difference := range differences([]*Folder{b, d}) {
		order = append(order, difference.Property)
	}
	assert.Equal(t, []string{"clock_source", "cpus", "preemption", "architecture"}, order, "what can change the findings comes first")
}
