// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"encoding/binary"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

// fakeCode has rules by pc, those of return addresses as they are.
type fakeCode struct {
	rules map[uint64]codeRule
	found unwind.Rule // by a search
	other bool
}

func (c fakeCode) moved() bool { return c.other }

func (c fakeCode) find(_ usym.Process, pc uint64, _ bool) codeRule { return c.rules[pc] }

func (c fakeCode) search(usym.Process, unwind.Registers, func(uint64) (uint64, bool)) unwind.Rule {
	return c.found
}

// fakeRules keeps what the kernel is taught.
type fakeRules struct {
	rules map[bpf.RuleKey]bpf.Rule
	room  int
	epoch int
}

func (r *fakeRules) Update(key, value any, flags ebpf.MapUpdateFlags) error {
	k := key.(bpf.RuleKey)
	if _, ok := r.rules[k]; ok && flags == ebpf.UpdateNoExist {
		return ebpf.ErrKeyExist
	}
	if len(r.rules) == r.room {
		return unix.E2BIG
	}
	r.rules[k] = value.(bpf.Rule)
	return nil
}

func (r *fakeRules) nextEpoch() error {
	r.epoch++
	return nil
}

func (r *fakeRules) clear() error {
	clear(r.rules)
	return nil
}

const (
	top = 0x7000 // of the stack in these tests
	ra  = bpf.ReturnAddress
)

// missAt is a walk that stands at pc after sure frames, with the words of the stack.
func missAt(pc uint64, words ...uint64) *bpf.StackMiss {
	m := &bpf.StackMiss{At: bpf.Cursor{Pc: pc, Sp: top, Fp: 0x7fff}, Tgid: 1, Length: uint32(8 * len(words))}
	m.SoFar = bpf.Stack{Frames: 1, Sure: 1, Space: 9}
	m.SoFar.Pc[0] = pc
	for i, w := range words {
		binary.NativeEndian.PutUint64(m.Memory[8*i:], w)
	}
	return m
}

func exact(kind unwind.Kind, cfa int32) codeRule {
	return codeRule{Rule: unwind.Rule{Kind: kind, CFA: cfa}, known: true, searchable: true}
}

func TestFinishAWalk(t *testing.T) {
	guess := exact(unwind.FromSP, 8)
	guess.guessed = true
	for name, c := range map[string]struct {
		miss  *bpf.StackMiss
		rules map[uint64]codeRule
		found unwind.Rule
		want  walked
	}{
		"to the end": {
			missAt(0xa, 0, 0xb, 0xc), map[uint64]codeRule{0xa: exact(unwind.FromSP, 16), 0xb: exact(unwind.FromSP, 8), 0xc: exact(unwind.End, 0)},
			unwind.Rule{}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra, 0xc | ra}, sure: 3},
		},
		"to a return address of nothing": {
			missAt(0xa, 0xb, 0), map[uint64]codeRule{0xa: exact(unwind.FromSP, 8), 0xb: exact(unwind.FromSP, 8)},
			unwind.Rule{}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra}, sure: 2},
		},
		"by a guess": {
			missAt(0xa, 0xb, 0xc), map[uint64]codeRule{0xa: exact(unwind.FromSP, 8), 0xb: guess, 0xc: exact(unwind.End, 0)},
			unwind.Rule{}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra, 0xc | ra}, sure: 2},
		},
		"by a search": {
			missAt(0xa, 0xb), map[uint64]codeRule{0xa: exact(unwind.Unknown, 0), 0xb: exact(unwind.End, 0)},
			unwind.Rule{Kind: unwind.FromSP, CFA: 8}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra}, sure: 1},
		},
		"into what is not mapped": {
			missAt(0xa, 0xb), map[uint64]codeRule{0xa: exact(unwind.FromSP, 8)},
			unwind.Rule{Kind: unwind.FromSP, CFA: 8}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra}, sure: 2, truncated: true},
		},
		"past the copy": {
			missAt(0xa, 0xb), map[uint64]codeRule{0xa: exact(unwind.FromSP, 8), 0xb: exact(unwind.FromSP, 8)},
			unwind.Rule{}, walked{space: 9, pcs: []uint64{0xa, 0xb | ra}, sure: 2, truncated: true},
		},
	} {
		u := newUnwinder(nil, fakeCode{rules: c.rules, found: c.found}, &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{}, room: 100})
		got, err := u.finish(c.miss)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
}

func TestFinishTeachesTheKernel(t *testing.T) {
	guess := codeRule{Rule: unwind.FramePointer(), guessed: true, known: true, searchable: true}
	rules := &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{}, room: 100}
	u := newUnwinder(nil, fakeCode{rules: map[uint64]codeRule{
		0xa: {Rule: unwind.Rule{Kind: unwind.FromSP, CFA: 24, FP: -16}, known: true, searchable: true}, 0xb: guess,
	}}, rules)
	_, err := u.finish(missAt(0xa|bpf.ReturnAddress, 0, 0, 0xb))
	require.NoError(t, err)
	assert.Equal(t, map[bpf.RuleKey]bpf.Rule{
		{Space: 9, Pc: 0xa | bpf.ReturnAddress}: {Cfa: 24, Fp: -16, Kind: uint8(bpf.RuleSP)},
		{Space: 9, Pc: 0xb | bpf.ReturnAddress}: {Cfa: 16, Fp: -16, Kind: uint8(bpf.RuleFP), Guessed: 1},
	}, rules.rules)
}

func TestFinishOverASignalHandler(t *testing.T) {
	words := make([]uint64, 22)
	words[15], words[20], words[21] = 0x7800, top+22*8, 0xb
	rules := &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{}, room: 100}
	code := fakeCode{rules: map[uint64]codeRule{0xa: exact(unwind.Signal, 0), 0xb: exact(unwind.End, 0)}}
	u := newUnwinder(nil, code, rules)
	got, err := u.finish(missAt(0xa|bpf.ReturnAddress, words...))
	require.NoError(t, err)
	assert.Equal(t, walked{space: 9, pcs: []uint64{0xa | ra, 0xb}, sure: 2}, got)
	assert.Equal(t, map[bpf.RuleKey]bpf.Rule{
		{Space: 9, Pc: 0xa | bpf.ReturnAddress}: {Kind: uint8(bpf.RuleSignal)},
		{Space: 9, Pc: 0xb}:                     {Kind: uint8(bpf.RuleEnd)}, // it stands where it was interrupted
	}, rules.rules)
}

func TestRulesBeginAnewWhenThereAreTooMany(t *testing.T) {
	rules := &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{{Pc: 1}: {}, {Pc: 2}: {}}, room: 2}
	u := newUnwinder(nil, fakeCode{rules: map[uint64]codeRule{0xa: exact(unwind.End, 0)}}, rules)
	_, err := u.finish(missAt(0xa))
	require.NoError(t, err)
	assert.Equal(t, map[bpf.RuleKey]bpf.Rule{{Space: 9, Pc: 0xa}: {Kind: uint8(bpf.RuleEnd)}}, rules.rules)
}

func TestFinishRefuses(t *testing.T) {
	u := &unwinder{}
	for _, spoil := range []func(*bpf.StackMiss){
		func(m *bpf.StackMiss) { m.SoFar.Frames = 65 },
		func(m *bpf.StackMiss) { m.SoFar.Frames = 0 },
		func(m *bpf.StackMiss) { m.SoFar.Sure = 2 },
		func(m *bpf.StackMiss) { m.Length = 4097 },
	} {
		m := missAt(0xa)
		spoil(m)
		_, err := u.finish(m)
		assert.ErrorContains(t, err, "more than there can be")
	}
}

func TestCodeInTheSamePlaceBeginsAnEpoch(t *testing.T) {
	rules := &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{{Pc: 1}: {}}, room: 9}
	require.NoError(t, newUnwinder(nil, fakeCode{}, rules).renew())
	assert.Zero(t, rules.epoch)
	assert.Len(t, rules.rules, 1)
	require.NoError(t, newUnwinder(nil, fakeCode{other: true}, rules).renew())
	assert.Equal(t, 1, rules.epoch)
	assert.Empty(t, rules.rules)
}

func TestWhatIsNoCodeIsAskedForOnce(t *testing.T) {
	rules := &fakeRules{rules: map[bpf.RuleKey]bpf.Rule{}, room: 9}
	guess := codeRule{Rule: unwind.FramePointer(), guessed: true, known: true}
	u := newUnwinder(nil, fakeCode{rules: map[uint64]codeRule{0xa: guess}}, rules)
	m := missAt(0xa, 0x1234, 0xdead)
	m.At.Fp = top
	got, err := u.finish(m)
	require.NoError(t, err)
	assert.True(t, got.truncated)
	assert.Equal(t, uint8(bpf.RuleUnknown), rules.rules[bpf.RuleKey{Space: 9, Pc: 0xdead | ra}].Kind, "a guess led there")

	m = missAt(0xdead)
	_, err = u.finish(m)
	require.NoError(t, err)
	assert.NotContains(t, rules.rules, bpf.RuleKey{Space: 9, Pc: 0xdead}, "it may come to be known")
}
