// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"
)

// form is what a kernel lets the programs be.
type form struct {
	compiled func() (*ebpf.CollectionSpec, error)
	hooks    []string // by name, in the order to attach them in
	loop     bool     // bpf_loop may be called
	// lockedMemory says that maps may count against the memory a process can lock.
	lockedMemory bool
}

// present is compiled so that what is known of a thread lies with its task, and pointers
// to tasks and registers are followed.
func present() form { return form{compiled: loadWatch} }

// before515 is compiled so that what is known of a thread is searched for, and helpers
// read tasks and registers. Its hook forgets threads, and is there before any is known.
func before515() form {
	return form{compiled: loadBefore515, hooks: []string{before515ProgSchedProcessFree}, lockedMemory: true}
}

// chooseForm picks what suits the kernel of these types.
func chooseForm(types *btf.Spec) (form, error) {
	f := present()
	err := haveHelper(types, helperTaskRegisters)
	if errors.Is(err, ErrNotSupported) {
		f, err = before515(), nil
	}
	if err != nil {
		return form{}, err
	}
	hooks, err := chooseHooks(types)
	if err != nil {
		return form{}, err
	}
	f.hooks = slices.Concat(f.hooks, hooks)
	err = haveHelper(types, helperLoop)
	if err != nil && !errors.Is(err, ErrNotSupported) {
		return form{}, err
	}
	version, unknown := features.LinuxVersionCode()
	f.loop = err == nil && (unknown != nil || !losesItselfInLoops(version))
	return f, nil
}

// losesItselfInLoops tells of 6.19, whose verifier goes over a million instructions of a
// program with bpf_loop that others know after eleven thousand, and takes the best part of
// a gigabyte of memory before it gives up.
func losesItselfInLoops(version uint32) bool { return version>>8 == 6<<8|19 }

// preallocate has all memory of hash maps allocated beforehand where programs like these
// are not to use others: before 6.1 (commit fba1a1c6c912) what a hash map allocates at run
// time did not come from an allocator made for them.
func preallocate(spec *ebpf.CollectionSpec, types *btf.Spec) error {
	var table *btf.Struct
	if err := types.TypeByName("bpf_htab", &table); err != nil {
		return fmt.Errorf("read the type of hash maps: %w", err)
	}
	if slices.ContainsFunc(table.Members, func(m btf.Member) bool { return m.Name == "ma" }) {
		return nil
	}
	for _, m := range spec.Maps {
		if m.Type == ebpf.Hash {
			m.Flags &^= unix.BPF_F_NO_PREALLOC
		}
	}
	return nil
}
