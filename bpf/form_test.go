// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"reflect"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// helpers are those that a kernel says it has, in the order they were added in.
func helpers(names ...string) *btf.Enum {
	e := &btf.Enum{Name: "bpf_func_id", Size: 4}
	for i, name := range names {
		e.Values = append(e.Values, btf.EnumValue{Name: "BPF_FUNC_" + name, Value: uint64(i)})
	}
	return e
}

func TestVerifierThatLosesItselfInLoops(t *testing.T) {
	for version, want := range map[uint32]bool{6<<16 | 18<<8 | 255: false, 6<<16 | 19<<8: true, 6<<16 | 19<<8 | 14: true, 7 << 16: false} {
		assert.Equal(t, want, losesItselfInLoops(version), "%x", version)
	}
}

func TestChooseForm(t *testing.T) {
	is := func(want, got form) {
		t.Helper()
		assert.Equal(t, reflect.ValueOf(want.compiled).Pointer(), reflect.ValueOf(got.compiled).Pointer())
	}
	got, err := chooseForm(specOf(t, helpers("map_lookup_elem", "task_pt_regs"), trace("sched_switch", 3)))
	require.NoError(t, err)
	is(present(), got)

	got, err = chooseForm(specOf(t, helpers("map_lookup_elem", "get_current_task_btf"), trace("sched_switch", 3)))
	require.NoError(t, err)
	is(before515(), got)

	assert.Equal(t, "sched_process_free", got.hooks[0], "before any thread is known")

	got, err = chooseForm(specOf(t, helpers("task_pt_regs", "loop"), trace("sched_switch", 4)))
	require.NoError(t, err)
	is(present(), got)
	assert.True(t, got.loop)

	_, err = chooseForm(specOf(t, helpers("task_pt_regs")))
	require.ErrorIs(t, err, ErrNotSupported, "no sched_switch")
	_, err = chooseForm(specOf(t, &btf.Int{Name: "int", Size: 4}))
	require.ErrorContains(t, err, "helper BPF_FUNC_task_pt_regs")
	assert.NotErrorIs(t, err, ErrNotSupported, "it could not be told")
}

// Of both forms each hash map that allocates as it goes does so only where it may.
func TestPreallocate(t *testing.T) {
	table := func(members ...string) *btf.Spec {
		s := &btf.Struct{Name: "bpf_htab", Size: uint32(8 * len(members))}
		for i, name := range members {
			s.Members = append(s.Members, btf.Member{Name: name, Type: &btf.Int{Name: "long", Size: 8}, Offset: btf.Bits(64 * i)})
		}
		return specOf(t, s)
	}
	for _, form := range []form{present(), before515()} {
		spec, err := form.compiled()
		require.NoError(t, err)
		require.NoError(t, preallocate(spec, table("buckets", "ma")))
		assert.Equal(t, uint32(1), spec.Maps[watchMapRules].Flags)
		require.NoError(t, preallocate(spec, table("buckets")))
		for name, m := range spec.Maps {
			if m.Type == ebpf.Hash {
				assert.Zero(t, m.Flags, name)
			}
		}
	}
	spec, err := present().compiled()
	require.NoError(t, err)
	assert.Equal(t, ebpf.TaskStorage, spec.Maps[watchMapThreads].Type)
	require.ErrorContains(t, preallocate(spec, typesOf(t, nil)), "read the type of hash maps")
}

// Both forms have the same programs and maps under the same names, but for what frees.
func TestFormsHaveTheSameNames(t *testing.T) {
	now, err := present().compiled()
	require.NoError(t, err)
	then, err := before515().compiled()
	require.NoError(t, err)
	for _, hook := range before515().hooks {
		require.Contains(t, then.Programs, hook)
		delete(then.Programs, hook)
	}
	for name, p := range now.Programs {
		require.Contains(t, then.Programs, name)
		assert.Equal(t, p.AttachTo, then.Programs[name].AttachTo, name)
	}
	assert.Len(t, then.Programs, len(now.Programs))
	for name, m := range now.Maps {
		require.Contains(t, then.Maps, name)
		if name != watchMapThreads {
			assert.Equal(t, m.Type, then.Maps[name].Type, name)
		}
	}
	assert.Len(t, then.Maps, len(now.Maps))
	for name := range now.Variables {
		assert.Contains(t, then.Variables, name)
	}
}
