// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/harness"
)

func TestDoctor(t *testing.T) {
	needRoot(t)
	r := do(t, "doctor", "--json")
	require.Equal(t, exitGood, r.code, r.stdout)
	var e examination
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &e))
	assert.Equal(t, kernelRelease(), e.Kernel)
	assert.True(t, e.Works)
	needed := 0
	var names []string
	for _, c := range e.Checks {
		assert.Equal(t, c.Answer == works, c.Reason == "", "%s: what is missing has a reason", c.Name)
		names = append(names, c.Name)
		if c.Needed {
			needed++
			assert.Equal(t, works, c.Answer, c.Name)
		}
	}
	assert.Positive(t, needed)
	assert.Contains(t, names, "peer:perf-sched", "here or not")
	assert.Contains(t, strings.Join(e.Notes, "\n"), "goroutine")

	text := do(t, "doctor")
	assert.Equal(t, exitGood, text.code)
	assert.Contains(t, text.stdout, "This machine can be watched.")
}

func TestAnswer(t *testing.T) {
	assert.Equal(t, check{Name: "n", Answer: works}, answer("n", nil, "w", false))
	for _, err := range []error{errNotSupported, os.ErrPermission, os.ErrNotExist, harness.ErrAbsent} {
		assert.Equal(t, check{Name: "n", Answer: missing, Reason: "try: " + err.Error(), Without: "w", Needed: true},
			answer("n", fmt.Errorf("try: %w", err), "w", true))
	}
	assert.Equal(t, unclear, answer("n", errors.New("odd"), "w", true).Answer, "it could not be told")
}

func TestExaminationOfWhatIsMissing(t *testing.T) {
	var b strings.Builder
	require.NoError(t, writeExamination(&b, examination{
		Kernel: "5.4.0",
		Checks: []check{answer("ring buffer", errNotSupported, "events cannot be sent", true)},
	}))
	assert.Contains(t, b.String(), "ring buffer  no\n")
	assert.Contains(t, b.String(), "  without    events cannot be sent\n")
	assert.Contains(t, b.String(), "Nothing can be watched here.\n")
}
