// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
)

func jsonOf(t *testing.T, d diagnosis) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, d.write(&b))
	return b.String()
}

// oneLine joins what is broken over lines to be read.
func oneLine(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String() + "\n"
}

func TestDiagnosisJSON(t *testing.T) {
	f := throughAnother()
	f.Stacks, f.Victims = f.Stacks[:1], f.Victims[:1]
	assert.Equal(t, oneLine(`
		{"schema":"ebpf-rca/diagnosis/1","target":{"pid":10,"comm":"server"},"window_ns":2000000000,"kernel":"6.18.0",
		"findings":[{"rank":1,"class":"lock-holder","confidence":0.97,"blame_ns":1800000000,"share":0.9,
		"culprit":{"pid":10,"tid":12,"comm":"flusher","start_time_ns":5000000000},"culprits":[],
		"resource":{"kind":"mutex","address":"0x7f00","pid":10},
		"stacks":[{"role":"holding-offcpu","weight_ns":900000000,"frames":[
		{"function":"fsync","module":"libc.so.6","address":"0x20"},
		{"function":"flush","module":"server","file":"flush.c","line":42,"address":"0x30"},
		{"module":"server","offset":"0x891","address":"0x5555"},
		{"address":"0xdead"}]}],
		"victims":[{"pid":10,"tid":13,"comm":"worker","start_time_ns":5000000000,"wait_ns":1000000000,"count":20,"stack":[
		{"function":"lock","module":"server","address":"0x1000"},{"function":"handle","module":"server","address":"0x1001"}]}],
		"chain":[{"waiter":13,"holder":14,"resource":{"kind":"pipe","inode":77},"wait_ns":1000000000,"evidence":"waker"},
		{"waiter":14,"holder":12,"resource":{"kind":"mutex","address":"0x7f00","pid":10},"wait_ns":1000000000,"evidence":"owner"}]}],
		"totals":{"waits":21,"wait_ns":2100000000,"blame_ns":2000000000,"external_ns":60000000,"open_ns":40000000,
		"by_kind":{"mutex":{"waits":21,"wait_ns":2100000000}}},
		"loss":{"ring_full":0,"map_full":0,"stack_incomplete":0,"unmatched_wake":0,"skipped":0,"detached":0,"stack_miss":0}}`), jsonOf(t, diagnosed(f)))
}

// No list is null; of all fields only culprit may be.
func TestDiagnosisJSONOfNothing(t *testing.T) {
	empty := diagnosis{Schema: diagnosisSchema, Target: target{PID: 10}, Kernel: "6.18.0"}
	assert.Equal(t, oneLine(`
		{"schema":"ebpf-rca/diagnosis/1","target":{"pid":10},"window_ns":0,"kernel":"6.18.0","findings":[],
		"totals":{"waits":0,"wait_ns":0,"blame_ns":0,"external_ns":0,"open_ns":0,"by_kind":{}},
		"loss":{"ring_full":0,"map_full":0,"stack_incomplete":0,"unmatched_wake":0,"skipped":0,"detached":0,"stack_miss":0}}`), jsonOf(t, empty))

	bare := contention.Finding{Rank: 1, Class: contention.External, Stacks: []contention.WeightedStack{{Role: contention.ReleaseStack}}}
	text := jsonOf(t, diagnosed(bare))
	assert.Equal(t, 1, strings.Count(text, "null"))
	assert.Contains(t, text, `"culprit":null,"culprits":[],"resource":{"kind":""},"stacks":[{"role":"release","weight_ns":0,"frames":[]}],"victims":[],"chain":[]`)
	assert.Nil(t, bare.Stacks[0].Frames, "the finding itself is left alone")
}

func TestDiagnosisJSONOfSeveral(t *testing.T) {
	assert.Contains(t, jsonOf(t, diagnosed(deadlock())), strings.TrimSpace(oneLine(`
		"culprit":{"pid":10,"tid":12,"comm":"left","start_time_ns":5000000000},
		"culprits":[{"pid":10,"tid":12,"comm":"left","start_time_ns":5000000000},
		{"pid":10,"tid":13,"comm":"right","start_time_ns":5000000000}]`)))
}

func TestDiagnosisJSONIsOneLineOfUTF8(t *testing.T) {
	f := lockHolder()
	f.Culprit.Comm = "a\nb\xff"
	text := jsonOf(t, diagnosed(f))
	assert.Equal(t, 1, strings.Count(text, "\n"))
	var back diagnosis
	require.NoError(t, json.Unmarshal([]byte(text), &back))
	assert.Equal(t, "a\nb\ufffd", back.Findings[0].Culprit.Comm)
}
