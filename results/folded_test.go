// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func folded(t *testing.T, stacks []BlamedStack) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, WriteFolded(&b, stacks))
	return b.String()
}

func TestFoldedOfHostileNames(t *testing.T) {
	stack := contention.Stack{{Function: "x;y\n"}, {Module: "a b", Offset: 1}}
	assert.Equal(t, "a b+0x1;x:y\ufffd 1500\n", folded(t, []BlamedStack{{Stack: stack, Blame: 1500 * time.Microsecond}}))
	assert.Error(t, WriteFolded(fullWriter{}, []BlamedStack{{Stack: stack}}))
}

func TestFoldedIsInOrder(t *testing.T) {
	var stacks []BlamedStack
	for _, name := range []string{"b", "a", "c", "b"} {
		stacks = append(stacks, BlamedStack{Stack: contention.Stack{{Function: name}}, Blame: time.Millisecond})
	}
	want := fmt.Sprintf("b %d\na %d\nc %d\n", 2000, 1000, 1000)
	for range 20 {
		assert.Equal(t, want, folded(t, stacks))
	}
}
