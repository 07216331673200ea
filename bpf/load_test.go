// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestLoadSetsWhatWasAsked(t *testing.T) {
	for _, on := range []bool{true, false} {
		spec, err := loadWatch()
		require.NoError(t, err)
		opts := Options{Target: 4711, Children: on, Own: 12, PIDNamespace: 0xf0000001, Events: on, UserStacks: UserStacksByFramePointers, KernelStacks: KernelStacksAlways}
		require.NoError(t, opts.apply(spec, form{loop: on}))
		section := spec.Maps[spec.Variables[watchVarTargetTgid].SectionName].Contents[0].Value.([]byte)
		at := func(name string) []byte {
			v := spec.Variables[name]
			return section[v.Offset : v.Offset+v.Size()]
		}
		assert.Equal(t, []byte{0x67, 0x12, 0, 0}, at(watchVarTargetTgid))
		assert.Equal(t, []byte{12, 0, 0, 0}, at(watchVarOwnTgid))
		assert.Equal(t, []byte{1, 0, 0, 0xf0}, at(watchVarPidnsInum))
		assert.Equal(t, []byte{2, 0, 0, 0}, at(watchVarKernelStacks))
		assert.Equal(t, []byte{2, 0, 0, 0}, at(watchVarUserStacks))
		for _, name := range []string{watchVarWithChildren, watchVarSendEvents, watchVarHaveLoop} {
			assert.Equal(t, on, at(name)[0] == 1, name)
		}
		assert.Equal(t, []byte{0, 0, 4, 0}, at(watchVarWakeupBytes), "what was not asked stays")
		assert.Equal(t, uint64(ShedPeriod), binary.NativeEndian.Uint64(at(watchVarShedPeriodNs)))
	}
}

// loadable are the forms that this kernel can run: before 5.15 it has no choice.
func loadable(t *testing.T) []form {
	t.Helper()
	err := HaveTaskAccess()
	if since(t, 5, 15) {
		require.NoError(t, err)
		return []form{present(), before515()}
	}
	require.ErrorIs(t, err, ErrNotSupported)
	return []form{before515()}
}

// common are the hooks of every form and kernel.
func common() []string {
	return []string{watchProgSchedWaking, watchProgSchedProcessFork, watchProgSchedProcessExec, watchProgSchedProcessExit}
}

// switches are the forms of sched_switch that this kernel can run, one or both.
func switches(t *testing.T) []string {
	t.Helper()
	if since(t, 5, 18) {
		return []string{watchProgSchedSwitch, watchProgSchedSwitchThree}
	}
	return []string{watchProgSchedSwitchThree}
}

// Every program that suits this kernel loads, under every policy, in each form.
func TestLoad(t *testing.T) {
	needBPF(t)
	types, err := kernelTypes(btf.NewCache())
	require.NoError(t, err)
	for _, f := range loadable(t) {
		if since(t, 5, 19) && f.hooks == nil {
			f.hooks = []string{watchProgContentionBegin, watchProgContentionEnd}
		}
		f.hooks = slices.Concat(f.hooks, common(), switches(t))
		testLoad(t, f, types)
		if HaveLoop() == nil {
			f.loop = true
			testLoad(t, f, types)
		}
	}

	o, err := Load(Options{})
	require.NoError(t, err)
	require.NoError(t, o.Close())
}

func testLoad(t *testing.T, f form, types *btf.Spec) {
	t.Helper()
	for _, opts := range []Options{
		{},
		{Target: 1, PIDNamespace: 0xf0000001},
		{Target: 1, Children: true, Events: true, UserStacks: UserStacksByRules, KernelStacks: KernelStacksUnexplained},
		{Target: 1, Events: true, UserStacks: UserStacksByFramePointers},
		{Events: true, UserStacks: UserStacksByRules, KernelStacks: KernelStacksAlways, PIDNamespace: 0xf0000001},
	} {
		o, err := loadForm(opts, types, f)
		require.NoError(t, err)
		assert.Len(t, o.Hooks, len(f.hooks))
		for i, name := range f.hooks {
			spare := o.Spares[o.Hooks[i]]
			assert.Equal(t, slices.Contains(preemptible, name), spare != nil, name)
			assert.NotContains(t, o.Hooks, spare)
		}
		for _, p := range append(o.Hooks, o.Sample, o.WatchExisting, o.ReadThreads) {
			assert.NotNil(t, p)
		}
		lost, err := o.Lost()
		require.NoError(t, err)
		assert.Zero(t, lost)
		require.NoError(t, o.Close())
		require.NoError(t, o.Close())
	}
}

func TestLoadEmpty(t *testing.T) {
	needBPF(t)
	o, err := LoadEmpty()
	require.NoError(t, err)
	assert.Len(t, o.Hooks, 2)
	require.NoError(t, o.Close())
}

// Sizes that C and Go must agree on; Go's types are made from C's.
func TestLayout(t *testing.T) {
	spec, err := loadWatch()
	require.NoError(t, err)
	assert.Equal(t, uint32(unsafe.Sizeof(Stack{})), spec.Maps[watchMapStacks].ValueSize)
	assert.Equal(t, uint32(len(Lost{})), spec.Maps[watchMapLost].MaxEntries)
	for name, size := range map[string]uintptr{
		"wait": unsafe.Sizeof(WaitEvent{}), "preempt": unsafe.Sizeof(PreemptEvent{}), "sample": unsafe.Sizeof(SampleEvent{}),
		"exec": unsafe.Sizeof(ExecEvent{}), "totals": unsafe.Sizeof(ThreadTotals{}),
	} {
		assert.Zero(t, size%8, "%s: the ring buffer aligns by 8, and padding would leak", name)
	}
}

func run(t *testing.T, o *Objects) {
	t.Helper()
	for _, hook := range o.Hooks {
		l, err := link.AttachTracing(link.TracingOptions{Program: hook})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, l.Close()) })
	}
	iterate(t, o.WatchExisting)
}

func iterate(t *testing.T, program *ebpf.Program) []byte {
	t.Helper()
	it, err := link.AttachIter(link.IterOptions{Program: program})
	require.NoError(t, err)
	defer it.Close()
	r, err := it.Open()
	require.NoError(t, err)
	defer r.Close()
	out, err := io.ReadAll(r)
	require.NoError(t, err)
	return out
}

// What older kernels need loads on later ones too, and must see the same: the form of
// sched_switch that leaves an argument unread, and the form of all programs that searches
// for what it knows of a thread.
func TestAllFormsSeeTheSame(t *testing.T) {
	needBPF(t)
	cmd := exec.Command("sh", "-c", `echo; read x; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo $i | cat >/dev/null; done; echo; read x`)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	step := func() {
		_, err := lines.ReadString('\n')
		require.NoError(t, err)
	}

	types, err := kernelTypes(btf.NewCache())
	require.NoError(t, err)
	var forms []*Objects
	for _, f := range loadable(t) {
		for _, program := range switches(t) {
			one := f
			one.hooks = slices.Concat(f.hooks, common(), []string{program})
			o, err := loadForm(Options{Target: cmd.Process.Pid}, types, one)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, o.Close()) })
			forms = append(forms, o)
		}
	}
	step()
	begin := time.Now()
	for _, o := range forms {
		run(t, o)
	}
	apart := time.Since(begin) // the shell sleeps meanwhile
	_, err = in.Write([]byte("\n"))
	require.NoError(t, err)
	step()

	begin = time.Now()
	var totals []ThreadTotals
	for _, o := range forms {
		raw := iterate(t, o.ReadThreads)
		require.Len(t, raw, int(unsafe.Sizeof(ThreadTotals{})), "one thread")
		totals = append(totals, *(*ThreadTotals)(unsafe.Pointer(&raw[0])))
		lost, err := o.Lost()
		require.NoError(t, err)
		assert.Zero(t, lost.RingFull()+lost.MapFull())
	}
	apart += time.Since(begin)
	assert.Greater(t, totals[0].Waits, uint32(150), "a wait for each pipeline")
	for _, other := range totals[1:] {
		assert.InDelta(t, totals[0].Waits, other.Waits, 1)
		assert.InDelta(t, float64(totals[0].BlockedNs), float64(other.BlockedNs), float64(10*time.Millisecond+apart))
		assert.Equal(t, totals[0].Thread, other.Thread)
	}
	assert.Equal(t, cmd.Process.Pid, int(totals[0].Thread.Tid))
	assert.True(t, bytes.HasPrefix(unsafe.Slice((*byte)(unsafe.Pointer(&totals[0].Comm[0])), 16), []byte("sh\x00")))
}

// A verifier that gives up is told apart from one that forbids.
func TestRefusalOfTooLargeAProgramIsKnown(t *testing.T) {
	large := permission(fmt.Errorf("program x: %w", &ebpf.VerifierError{Cause: unix.E2BIG}))
	assert.ErrorIs(t, large, unix.E2BIG)
	assert.ErrorContains(t, large, "the verifier refuses it")
	assert.NotErrorIs(t, permission(&ebpf.VerifierError{Cause: unix.EACCES}), os.ErrPermission)
}
