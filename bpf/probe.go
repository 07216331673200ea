// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
)

// ErrNotSupported says that this kernel lacks a feature, as opposed to that it
// could not be told whether it has it.
var ErrNotSupported = ebpf.ErrNotSupported

// HaveBTF reports whether the kernel describes its types: nil, ErrNotSupported, or
// another error if it could not be told. CONFIG_DEBUG_INFO_BTF, 5.2 and later
// (commit 341dfcf8d78e).
func HaveBTF() error {
	_, err := kernelTypes(btf.NewCache())
	return err
}

func kernelTypes(cache *btf.Cache) (*btf.Spec, error) {
	spec, err := cache.Kernel()
	if errors.Is(err, btf.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("this kernel does not describe its types (no BTF): %w", ErrNotSupported)
	}
	if err != nil {
		return nil, fmt.Errorf("read the kernel's types (BTF): %w", err)
	}
	return spec, nil
}

// HaveTaskAccess reports whether programs get at the registers of a task, and at what
// they keep of it, without a search. 5.15 and later (commit dd6e10fbd9fb).
func HaveTaskAccess() error {
	types, err := kernelTypes(btf.NewCache())
	if err != nil {
		return err
	}
	return haveHelper(types, helperTaskRegisters)
}

// helperTaskRegisters is the name of bpf_task_pt_regs in the kernel's types.
const helperTaskRegisters = "BPF_FUNC_task_pt_regs"

// HaveRingBuffer reports whether there is one buffer for all CPUs. 5.8 and later
// (commit 457f44363a88).
func HaveRingBuffer() error { return haveMap(ebpf.RingBuf) }

// haveMap does not ask the kernel without privilege: its refusal would look like a
// lack of the feature.
func haveMap(kind ebpf.MapType) error {
	if err := privileged(); err != nil {
		return fmt.Errorf("look for maps of type %v: %w", kind, err)
	}
	return features.HaveMapType(kind)
}

// HaveContention reports whether the kernel tells of waits for its own locks. 5.19
// and later (commit 16edd9b511a1).
func HaveContention() error { return haveTracepoint("contention_begin") }

// HaveFileLocks reports whether the kernel tells who locks a file by flock(2). It does
// where it was built with CONFIG_FILE_LOCKING.
func HaveFileLocks() error { return haveTracepoint("flock_lock_inode") }

// HaveLoop reports whether programs can loop by bpf_loop. 5.17 and later (commit
// e6f2dd0f8067).
func HaveLoop() error {
	types, err := kernelTypes(btf.NewCache())
	if err != nil {
		return err
	}
	return haveHelper(types, helperLoop)
}

// helperLoop is the name of bpf_loop in the kernel's types.
const helperLoop = "BPF_FUNC_loop"

// haveHelper looks for a helper in the list that the kernel's types hold.
func haveHelper(types *btf.Spec, name string) error {
	var helpers *btf.Enum
	if err := types.TypeByName("bpf_func_id", &helpers); err != nil {
		return fmt.Errorf("helper %s: %w", name, err)
	}
	if !slices.ContainsFunc(helpers.Values, func(v btf.EnumValue) bool { return v.Name == name }) {
		return fmt.Errorf("helper %s: %w", name, ErrNotSupported)
	}
	return nil
}

func haveTracepoint(name string) error {
	types, err := kernelTypes(btf.NewCache())
	if err != nil {
		return err
	}
	_, err = tracepointArgs(types, name)
	return err
}

// tracepointArgs counts the arguments of a tracepoint as the kernel's BTF declares
// them; it is ErrNotSupported where there is no such tracepoint.
func tracepointArgs(types *btf.Spec, name string) (int, error) {
	var def *btf.Typedef
	if err := types.TypeByName("btf_trace_"+name, &def); err != nil {
		if errors.Is(err, btf.ErrNotFound) {
			return 0, fmt.Errorf("tracepoint %s: %w", name, ErrNotSupported)
		}
		return 0, fmt.Errorf("tracepoint %s: %w", name, err)
	}
	pointer, ok := def.Type.(*btf.Pointer)
	if !ok {
		return 0, fmt.Errorf("tracepoint %s: type %v is not a pointer", name, def.Type)
	}
	proto, ok := pointer.Target.(*btf.FuncProto)
	if !ok {
		return 0, fmt.Errorf("tracepoint %s: type %v is not a function", name, pointer.Target)
	}
	return len(proto.Params) - 1, nil // the first is the tracepoint's own data
}
