// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"
)

// Options are fixed when the programs are loaded. The zero value keeps totals of
// every thread of the system and nothing else.
type Options struct {
	// Target is the process to watch, 0 the whole system.
	Target int
	// Children watches the target's descendants too.
	Children bool
	// Own is the process that watches. It is left out.
	Own int
	// PIDNamespace is the inode of the namespace whose tids are reported, 0 the
	// first one.
	PIDNamespace uint32
	// Events sends one event for each wait that ended.
	Events bool
	// UserStacks takes them where a thread sleeps, wakes another or is preempted.
	UserStacks   bool
	KernelStacks KernelStacks
}

// Objects are the loaded programs and maps.
type Objects struct {
	// Hooks are the programs to attach to tracepoints.
	Hooks []*ebpf.Program
	// Sample is to be attached to a clock of each CPU.
	Sample *ebpf.Program
	// WatchExisting and ReadThreads are iterators over tasks.
	WatchExisting, ReadThreads *ebpf.Program

	Events *ebpf.Map
	// Stacks holds a Stack for each name of one.
	Stacks *ebpf.Map

	lost       *ebpf.Variable
	collection *ebpf.Collection
}

// Load puts the programs that this kernel can run into it.
func Load(opts Options) (*Objects, error) {
	hooks, err := chooseHooks()
	if err != nil {
		return nil, err
	}
	spec, err := loadWatch()
	if err != nil {
		return nil, fmt.Errorf("read the compiled programs: %w", err)
	}
	if err := opts.apply(spec); err != nil {
		return nil, err
	}
	keep(spec, append([]string{watchProgSample, watchProgWatchExisting, watchProgReadThreads}, hooks...)...)
	collection, err := load(spec)
	if err != nil {
		return nil, err
	}
	objects := &Objects{
		Sample:        collection.Programs[watchProgSample],
		WatchExisting: collection.Programs[watchProgWatchExisting],
		ReadThreads:   collection.Programs[watchProgReadThreads],
		Events:        collection.Maps[watchMapEvents],
		Stacks:        collection.Maps[watchMapStacks],
		lost:          collection.Variables[watchVarLost],
		collection:    collection,
	}
	for _, name := range hooks {
		objects.Hooks = append(objects.Hooks, collection.Programs[name])
	}
	return objects, nil
}

// LoadEmpty loads programs that do nothing, on the hooks that cost the most. What
// they cost is what cannot be saved.
func LoadEmpty() (*Objects, error) {
	spec, err := loadWatch()
	if err != nil {
		return nil, fmt.Errorf("read the compiled programs: %w", err)
	}
	keep(spec, watchProgEmptySwitch, watchProgEmptyWaking)
	spec.Maps, spec.Variables = nil, nil
	collection, err := load(spec)
	if err != nil {
		return nil, err
	}
	return &Objects{
		Hooks:      []*ebpf.Program{collection.Programs[watchProgEmptySwitch], collection.Programs[watchProgEmptyWaking]},
		collection: collection,
	}, nil
}

// Lost reads what was lost since loading.
func (o *Objects) Lost() (Lost, error) {
	var lost Lost
	if err := o.lost.Get(&lost); err != nil {
		return lost, fmt.Errorf("read the counts of losses: %w", err)
	}
	return lost, nil
}

// Close frees programs and maps. It may be called twice.
func (o *Objects) Close() error {
	o.collection.Close()
	return nil
}

// chooseHooks names the tracepoint programs that suit this kernel.
func chooseHooks() ([]string, error) {
	hooks := []string{watchProgSchedWaking, watchProgSchedProcessFork, watchProgSchedProcessExit}
	args, err := tracepointArgs("sched_switch")
	switch {
	case err != nil:
		return nil, err
	case args < 4:
		hooks = append(hooks, watchProgSchedSwitchThree)
	default:
		hooks = append(hooks, watchProgSchedSwitch)
	}
	switch err := HaveContention(); {
	case err == nil:
		hooks = append(hooks, watchProgContentionBegin, watchProgContentionEnd)
	case !errors.Is(err, ErrNotSupported):
		return nil, err
	}
	return hooks, nil
}

func (o Options) apply(spec *ebpf.CollectionSpec) error {
	for name, value := range map[string]any{
		watchVarTargetTgid:   uint32(o.Target),
		watchVarWithChildren: o.Children,
		watchVarOwnTgid:      uint32(o.Own),
		watchVarPidnsInum:    o.PIDNamespace,
		watchVarSendEvents:   o.Events,
		watchVarUserStacks:   o.UserStacks,
		watchVarKernelStacks: o.KernelStacks,
	} {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

func keep(spec *ebpf.CollectionSpec, names ...string) {
	wanted := make(map[string]*ebpf.ProgramSpec, len(names))
	for _, name := range names {
		wanted[name] = spec.Programs[name]
	}
	spec.Programs = wanted
}

func load(spec *ebpf.CollectionSpec) (*ebpf.Collection, error) {
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, fmt.Errorf("lift the limit on locked memory: %w", err)
	}
	collection, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, fmt.Errorf("load the programs into the kernel: %w", err)
	}
	return collection, nil
}
