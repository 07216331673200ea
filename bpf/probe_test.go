// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"testing"

	"github.com/cilium/ebpf/btf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An answer is yes, no, or that it could not be told. Where there is privilege it
// can be told.
func TestProbes(t *testing.T) {
	needBPF(t)
	for name, c := range map[string]struct {
		have  func() error
		since bool
	}{
		"BTF":             {HaveBTF, true},
		"ring buffer":     {HaveRingBuffer, true},
		"file locks":      {HaveFileLocks, true},
		"access to tasks": {HaveTaskAccess, since(t, 5, 15)},
		"contention":      {HaveContention, since(t, 5, 19)},
	} {
		if c.since {
			assert.NoError(t, c.have(), name)
		} else {
			assert.ErrorIs(t, c.have(), ErrNotSupported, name)
		}
	}
}

// typesOf are a kernel's types with one tracepoint of n arguments.
func typesOf(t *testing.T, tracepoints map[string]int) *btf.Spec {
	t.Helper()
	var types []btf.Type
	for name, n := range tracepoints {
		types = append(types, trace(name, n))
	}
	return specOf(t, types...)
}

func specOf(t *testing.T, types ...btf.Type) *btf.Spec {
	t.Helper()
	builder, err := btf.NewBuilder(types, nil)
	require.NoError(t, err)
	spec, err := builder.Spec()
	require.NoError(t, err)
	return spec
}

// trace is how a kernel declares a tracepoint of n arguments.
func trace(name string, n int) btf.Type {
	params := make([]btf.FuncParam, n+1)
	for i := range params {
		params[i].Type = &btf.Pointer{Target: (*btf.Void)(nil)}
	}
	proto := &btf.FuncProto{Return: (*btf.Void)(nil), Params: params}
	return &btf.Typedef{Name: "btf_trace_" + name, Type: &btf.Pointer{Target: proto}}
}

func TestTracepointArgs(t *testing.T) {
	types := typesOf(t, map[string]int{"sched_switch": 4, "sched_waking": 1})
	n, err := tracepointArgs(types, "sched_switch")
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	_, err = tracepointArgs(types, "contention_begin")
	require.ErrorIs(t, err, ErrNotSupported)
}

func TestTracepointArgsOfWhatIsNone(t *testing.T) {
	builder, err := btf.NewBuilder([]btf.Type{
		&btf.Typedef{Name: "btf_trace_plain", Type: &btf.Int{Name: "int", Size: 4}},
		&btf.Typedef{Name: "btf_trace_pointer", Type: &btf.Pointer{Target: &btf.Int{Name: "int", Size: 4}}},
	}, nil)
	require.NoError(t, err)
	types, err := builder.Spec()
	require.NoError(t, err)
	for _, name := range []string{"plain", "pointer"} {
		_, err := tracepointArgs(types, name)
		require.ErrorContains(t, err, "tracepoint "+name)
		assert.False(t, errors.Is(err, ErrNotSupported), "it could not be told")
	}
}

// The programs follow the kernel's types, not its version.
func TestChooseHooks(t *testing.T) {
	all := []string{"sched_waking", "sched_process_fork", "sched_process_exec", "sched_process_exit"}
	for name, c := range map[string]struct {
		tracepoints map[string]int
		want        []string
	}{
		"now":         {map[string]int{"sched_switch": 4, "contention_begin": 2}, []string{"sched_switch", "contention_begin", "contention_end"}},
		"5.18":        {map[string]int{"sched_switch": 4}, []string{"sched_switch"}},
		"before 5.18": {map[string]int{"sched_switch": 3}, []string{"sched_switch_three"}},
	} {
		hooks, err := chooseHooks(typesOf(t, c.tracepoints))
		require.NoError(t, err, name)
		assert.ElementsMatch(t, append(c.want, all...), hooks, name)
	}
	_, err := chooseHooks(typesOf(t, map[string]int{"other": 1}))
	require.ErrorIs(t, err, ErrNotSupported)
}
