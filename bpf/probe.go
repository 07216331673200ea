// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"

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
	if _, err := btf.LoadKernelSpec(); err != nil {
		if errors.Is(err, btf.ErrNotFound) || errors.Is(err, ebpf.ErrNotSupported) {
			return fmt.Errorf("kernel types (BTF): %w", ErrNotSupported)
		}
		return fmt.Errorf("kernel types (BTF): %w", err)
	}
	return nil
}

// HaveTaskStorage reports whether programs can keep state with a task. 5.11 and
// later for tracing programs (commit 4cf1bc1f1045).
func HaveTaskStorage() error { return features.HaveMapType(ebpf.TaskStorage) }

// HaveRingBuffer reports whether there is one buffer for all CPUs. 5.8 and later
// (commit 457f44363a88).
func HaveRingBuffer() error { return features.HaveMapType(ebpf.RingBuf) }

// HaveContention reports whether the kernel tells of waits for its own locks. 5.19
// and later (commit 16edd9b511a1).
func HaveContention() error {
	_, err := tracepointArgs("contention_begin")
	return err
}

// tracepointArgs counts the arguments of a tracepoint as the kernel's BTF declares
// them; it is ErrNotSupported where there is no such tracepoint.
func tracepointArgs(name string) (int, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return 0, fmt.Errorf("kernel types (BTF): %w", err)
	}
	var def *btf.Typedef
	if err := spec.TypeByName("btf_trace_"+name, &def); err != nil {
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
