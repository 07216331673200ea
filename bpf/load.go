// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
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
	// UserStacks are taken where a thread sleeps, wakes another or is preempted.
	UserStacks   UserStacks
	KernelStacks KernelStacks
	// NoKernelLocks leaves out the programs that see waits for the kernel's own locks.
	NoKernelLocks bool
	// Types are the kernel's, for those who load often; nil is to read them anew.
	Types *btf.Cache
}

// Objects are the loaded programs and maps.
type Objects struct {
	// Programs and Maps are all that were loaded, by name.
	Programs map[string]*ebpf.Program
	Maps     map[string]*ebpf.Map

	// Hooks are the programs to attach to tracepoints, and Spares those to attach beside
	// them: by the hook that each does the same as. While a program runs the kernel does not
	// begin it again on that CPU; another thread that comes by meanwhile is seen by the spare.
	Hooks  []*ebpf.Program
	Spares map[*ebpf.Program]*ebpf.Program
	// Sample is to be attached to a clock of each CPU.
	Sample *ebpf.Program
	// WatchExisting and ReadThreads are iterators over tasks.
	WatchExisting, ReadThreads *ebpf.Program
	// SendPending is to be run on each CPU, for it to send what it holds back.
	SendPending *ebpf.Program

	Events *ebpf.Map
	// Stacks holds a Stack for each name of one.
	Stacks *ebpf.Map
	// Rules holds the Rule of each RuleKey, and Misses is a ring buffer of StackMiss,
	// one for each walk that found none.
	Rules, Misses *ebpf.Map
	// Epoch holds one number. A new one gives all address spaces new names.
	Epoch *ebpf.Map
	// Told holds one number: for how many nanoseconds of each ShedPeriod all waits are told.
	// In the rest only those are that last. 0 has all told at all times.
	Told *ebpf.Map

	collection *ebpf.Collection
}

// Load puts the programs that this kernel can run into it. The error wraps
// ErrNotSupported where the kernel lacks something, os.ErrPermission where this
// process does.
func Load(opts Options) (*Objects, error) {
	if opts.Types == nil {
		opts.Types = btf.NewCache()
	}
	types, err := kernelTypes(opts.Types)
	if err != nil {
		return nil, err
	}
	f, err := chooseForm(types)
	if err != nil {
		return nil, err
	}
	if opts.NoKernelLocks {
		f.hooks = slices.DeleteFunc(f.hooks, func(name string) bool {
			return name == watchProgContentionBegin || name == watchProgContentionEnd
		})
	}
	return loadLooping(opts, types, f)
}

// loopRefused says that this kernel's verifier could not come to an end with bpf_loop. It
// would not the next time, and to find that out takes seconds.
var loopRefused atomic.Bool

// loadLooping loads the programs with loops of their own where those by bpf_loop are too
// much for a verifier of which that was not known.
func loadLooping(opts Options, types *btf.Spec, f form) (*Objects, error) {
	f.loop = f.loop && !loopRefused.Load()
	objects, err := loadForm(opts, types, f)
	if !f.loop || !errors.Is(err, unix.E2BIG) {
		return objects, err
	}
	loopRefused.Store(true)
	f.loop = false
	return loadForm(opts, types, f)
}

func loadForm(opts Options, types *btf.Spec, f form) (*Objects, error) {
	spec, err := f.compiled()
	if err != nil {
		return nil, fmt.Errorf("read the compiled programs: %w", err)
	}
	if err := opts.apply(spec, f); err != nil {
		return nil, err
	}
	if err := preallocate(spec, types); err != nil {
		return nil, err
	}
	if f.lockedMemory {
		if err := raiseLockedMemory(); err != nil {
			return nil, err
		}
	}
	var spares []string
	for _, name := range f.hooks {
		if slices.Contains(preemptible, name) {
			spec.Programs[spareOf(name)] = spec.Programs[name].Copy()
			spares = append(spares, spareOf(name))
		}
	}
	keep(spec, slices.Concat(spares, []string{watchProgSample, watchProgWatchExisting, watchProgReadThreads, watchProgSendPending}, f.hooks)...)
	collection, err := load(spec, opts.Types)
	if f.lockedMemory && errors.Is(err, os.ErrPermission) {
		err = fmt.Errorf("CAP_SYS_RESOURCE, or a higher limit of locked memory, may be needed, too: %w", err)
	}
	if err != nil {
		return nil, err
	}
	objects := &Objects{
		Programs:      collection.Programs,
		Maps:          collection.Maps,
		Sample:        collection.Programs[watchProgSample],
		WatchExisting: collection.Programs[watchProgWatchExisting],
		ReadThreads:   collection.Programs[watchProgReadThreads],
		SendPending:   collection.Programs[watchProgSendPending],
		Events:        collection.Maps[watchMapEvents],
		Stacks:        collection.Maps[watchMapStacks],
		Rules:         collection.Maps[watchMapRules],
		Misses:        collection.Maps[watchMapMisses],
		Epoch:         collection.Maps[watchMapEpoch],
		Told:          collection.Maps[watchMapTold],
		collection:    collection,
	}
	objects.Spares = make(map[*ebpf.Program]*ebpf.Program, len(spares))
	for _, name := range f.hooks {
		hook := collection.Programs[name]
		objects.Hooks = append(objects.Hooks, hook)
		if spare := collection.Programs[spareOf(name)]; spare != nil {
			objects.Spares[hook] = spare
		}
	}
	return objects, nil
}

// preemptible are the programs on tracepoints where, on some kernels, a thread can be
// preempted and the program with it. They do no harm a second time.
var preemptible = []string{
	watchProgSchedProcessFork, watchProgSchedProcessExec, watchProgSchedProcessExit, watchProgFlockLockInode,
}

func spareOf(name string) string { return name + "_spare" }

// LoadEmpty loads programs that do nothing, on the hooks that cost the most. What
// they cost is what cannot be saved.
func LoadEmpty() (*Objects, error) {
	spec, err := loadWatch()
	if err != nil {
		return nil, fmt.Errorf("read the compiled programs: %w", err)
	}
	keep(spec, watchProgEmptySwitch, watchProgEmptyWaking)
	spec.Maps = nil
	collection, err := load(spec, nil)
	if err != nil {
		return nil, err
	}
	return &Objects{
		Programs:   collection.Programs,
		Hooks:      []*ebpf.Program{collection.Programs[watchProgEmptySwitch], collection.Programs[watchProgEmptyWaking]},
		collection: collection,
	}, nil
}

// KernelLocks reports whether waits for the kernel's own locks are seen.
func (o *Objects) KernelLocks() bool { return o.Programs[watchProgContentionBegin] != nil }

// FileLocks reports whether it is seen who locks a file by flock(2).
func (o *Objects) FileLocks() bool { return o.Programs[watchProgFlockLockInode] != nil }

// Lost reads what was lost since loading.
func (o *Objects) Lost() (Lost, error) {
	var lost Lost
	for cause := range lost {
		if err := o.Maps[watchMapLost].Lookup(uint32(cause), &lost[cause]); err != nil {
			return Lost{}, fmt.Errorf("read the counts of losses: %w", err)
		}
	}
	return lost, nil
}

// SeesKernelLocks reports whether a hook is one of those on waits for the kernel's own locks.
func (o *Objects) SeesKernelLocks(hook *ebpf.Program) bool {
	return hook == o.Programs[watchProgContentionBegin] || hook == o.Programs[watchProgContentionEnd]
}

// Close frees programs and maps. It may be called twice.
func (o *Objects) Close() error {
	o.collection.Close()
	return nil
}

// chooseHooks names the tracepoint programs that suit the kernel of these types.
func chooseHooks(types *btf.Spec) ([]string, error) {
	hooks := []string{watchProgSchedWaking, watchProgSchedProcessFork, watchProgSchedProcessExec, watchProgSchedProcessExit}
	args, err := tracepointArgs(types, "sched_switch")
	switch {
	case err != nil:
		return nil, err
	case args < 4:
		hooks = append(hooks, watchProgSchedSwitchThree)
	default:
		hooks = append(hooks, watchProgSchedSwitch)
	}
	for tracepoint, programs := range map[string][]string{
		"contention_begin": {watchProgContentionBegin, watchProgContentionEnd},
		"flock_lock_inode": {watchProgFlockLockInode}, // CONFIG_FILE_LOCKING
	} {
		switch _, err := tracepointArgs(types, tracepoint); {
		case err == nil:
			hooks = append(hooks, programs...)
		case !errors.Is(err, ErrNotSupported):
			return nil, err
		}
	}
	return hooks, nil
}

func (o Options) apply(spec *ebpf.CollectionSpec, f form) error {
	for name, value := range map[string]any{
		watchVarTargetTgid:   uint32(o.Target),
		watchVarWithChildren: o.Children,
		watchVarOwnTgid:      uint32(o.Own),
		watchVarPidnsInum:    o.PIDNamespace,
		watchVarSendEvents:   o.Events,
		watchVarUserStacks:   o.UserStacks,
		watchVarKernelStacks: o.KernelStacks,
		watchVarHaveLoop:     f.loop,
	} {
		if err := set(spec, spec.Variables[name], value); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

// set writes a variable's value into the section that it is loaded with.
func set(spec *ebpf.CollectionSpec, v *ebpf.VariableSpec, value any) error {
	if err := v.Set(value); err != nil {
		return err
	}
	contents := spec.Maps[v.SectionName].Contents
	if len(contents) != 1 {
		return fmt.Errorf("section %s has %d parts, not one", v.SectionName, len(contents))
	}
	section, ok := contents[0].Value.([]byte)
	if !ok || uint64(v.Offset)+uint64(len(v.Value)) > uint64(len(section)) {
		return fmt.Errorf("section %s has no room for it", v.SectionName)
	}
	copy(section[v.Offset:], v.Value)
	return nil
}

func keep(spec *ebpf.CollectionSpec, names ...string) {
	wanted := make(map[string]*ebpf.ProgramSpec, len(names))
	for _, name := range names {
		wanted[name] = spec.Programs[name]
	}
	spec.Programs = wanted
}

// load maps no variables into this process: the mapping would keep its map in the kernel
// until the garbage collector comes by.
func load(spec *ebpf.CollectionSpec, types *btf.Cache) (*ebpf.Collection, error) {
	spec.Variables = nil
	if err := privileged(); err != nil {
		return nil, err
	}
	collection, err := ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{Cache: types})
	if err != nil {
		return nil, fmt.Errorf("load the programs into the kernel: %w", permission(err))
	}
	return collection, nil
}
