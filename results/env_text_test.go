// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProperties(t *testing.T) {
	steal := 0.0125
	e := Env{
		KernelRelease: "6.18.44", KernelVersion: "#1 SMP", CPUs: 2, Steal: &steal, ToolVersion: "v1",
		ToolCommit: "0123456789abcdef", Unseen: []string{"a", "b"},
	}
	assert.Equal(t, []Property{
		{"Kernel", "6.18.44 #1 SMP"}, {"CPUs", "2"}, {"Steal since boot", "1.2 %"}, {"ebpf-rca", "v1 0123456789ab"}, {"Not seen", "a; b"},
	}, e.Properties())
	assert.Empty(t, Env{}.Properties())
}
