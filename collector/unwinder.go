// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

// maxFrames bounds a stack that is walked here.
const maxFrames = 256

// unwinder finishes the walks for which the kernel had no rule, and gives it the rules
// for the next ones. It names nothing: reading symbols may take long, and until the
// kernel has a rule all walks lack it.
type unwinder struct {
	misses missQueue
	code   codeRules
	rules  ruleMap

	mu       sync.Mutex        // guards what follows, and makes one user of the above
	finished map[uint64]walked // by the kernel's name, until they are taken
	taught   map[bpf.RuleKey]struct{}
	// incomplete counts those that were not followed to their end.
	incomplete uint64
	err        error // the first
}

// missQueue holds the walks that the kernel could not finish.
type missQueue interface {
	// next returns one, nil if there is none now. It is good until the next call.
	next() ([]byte, error)
}

func newUnwinder(misses missQueue, code codeRules, rules ruleMap) *unwinder {
	return &unwinder{
		misses: misses, code: code, rules: rules,
		finished: make(map[uint64]walked), taught: make(map[bpf.RuleKey]struct{}),
	}
}

// maxFinished bounds the walks that nobody takes, as when the events that name them
// are lost.
const maxFinished = 1 << 14

// work finishes what there is, and returns how much that was.
func (u *unwinder) work() (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for u.err == nil {
		raw, err := u.misses.next()
		if raw == nil && err == nil {
			break
		}
		if err == nil {
			err = u.finishRaw(raw)
		}
		u.err = err
		n++
	}
	return n
}

// renew begins anew with all rules if code was found in another's place: the kernel sees
// no change when a library takes the place of one as large.
func (u *unwinder) renew() error {
	if !u.code.moved() {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.rules.nextEpoch(); err != nil {
		return fmt.Errorf("give address spaces new names: %w", err)
	}
	if err := u.unteach(); err != nil {
		return fmt.Errorf("drop unwind rules: %w", err)
	}
	return nil
}

func (u *unwinder) unteach() error {
	clear(u.taught)
	return u.rules.clear()
}

// take returns a walk that was finished, once. The kernel sends a walk before the event
// that names it.
func (u *unwinder) take(name uint64) (walked, bool) {
	u.work()
	u.mu.Lock()
	defer u.mu.Unlock()
	w, ok := u.finished[name]
	delete(u.finished, name)
	return w, ok
}

// state is how many walks stayed incomplete, and why it works no more.
func (u *unwinder) state() (incomplete uint64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.incomplete, u.err
}

func (u *unwinder) finishRaw(raw []byte) error {
	miss, err := view[bpf.StackMiss](raw)
	if err != nil {
		return err
	}
	w, err := u.finish(&miss)
	if err != nil {
		return err
	}
	if w.truncated {
		u.incomplete++
	}
	if len(u.finished) >= maxFinished {
		clear(u.finished)
	}
	u.finished[miss.Name] = w
	return nil
}

// codeRules knows the unwind rules of the programs that are watched.
type codeRules interface {
	// find returns the rule of the code at pc.
	find(p usym.Process, pc uint64, returnAddress bool) codeRule
	// search looks for the caller of code that has no rule.
	search(p usym.Process, at unwind.Registers, read func(uint64) (uint64, bool)) unwind.Rule
	// moved reports whether there is other code where there was some before.
	moved() bool
}

type codeRule struct {
	unwind.Rule
	guessed    bool // no unwind information says so
	known      bool // and it will not change while the address space is the same
	searchable bool // it is code of a file, whose caller may be searched for
}

// ruleMap is the kernel's map of rules.
type ruleMap interface {
	Update(key, value any, flags ebpf.MapUpdateFlags) error
	clear() error
	nextEpoch() error
}

// walked is a user stack as it was walked.
type walked struct {
	space     uint64
	pcs       []uint64 // with bpf.ReturnAddress
	sure      int      // of pcs, from the innermost
	truncated bool
}

// finish walks on from where the kernel could not.
func (u *unwinder) finish(m *bpf.StackMiss) (walked, error) {
	so := &m.SoFar
	if int(so.Frames) > len(so.Pc) || so.Frames == 0 || so.Sure > so.Frames || int(m.Length) > len(m.Memory) {
		return walked{}, fmt.Errorf("finish a walk of %d frames, %d sure, with %d bytes of stack: %w",
			so.Frames, so.Sure, m.Length, errors.New("more than there can be"))
	}
	w := walked{space: so.Space, pcs: slices.Clone(so.Pc[:so.Frames]), sure: int(so.Sure)}
	at := unwind.Registers{PC: m.At.Pc, SP: m.At.Sp, FP: m.At.Fp}
	err := u.walkOn(&w, usym.Process{PID: int(m.Tgid), Space: so.Space}, at, memoryOf(m))
	return w, err
}

// sleeper walks the stack of a thread of process pid that sleeps, with its user registers
// at hand. Nobody has walked it: it slept already when it was first seen.
func (u *unwinder) sleeper(pid int, cursor bpf.Cursor) (walked, error) {
	memory, err := image.OpenMemory(pid)
	if err != nil {
		return walked{}, fmt.Errorf("walk the stack of a thread of process %d: %w", pid, err)
	}
	defer memory.Close()
	read := func(address uint64) (uint64, bool) {
		var word [8]byte
		_, err := memory.ReadAt(word[:], int64(address))
		return binary.NativeEndian.Uint64(word[:]), err == nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	w := walked{pcs: []uint64{cursor.Pc}, sure: 1}
	at := unwind.Registers{PC: cursor.Pc, SP: cursor.Sp, FP: cursor.Fp}
	err = u.walkOn(&w, usym.Process{PID: pid}, at, read)
	return w, err
}

// walkOn walks from the last frame of w, whose registers are given, to the outermost. It
// gives the kernel the rules it finds, if the process is known by its space.
func (u *unwinder) walkOn(w *walked, of usym.Process, at unwind.Registers, read func(uint64) (uint64, bool)) error {
	sure := w.sure == len(w.pcs)
	for len(w.pcs) < maxFrames {
		pc, returnAddress := at.PC&^bpf.ReturnAddress, at.PC&bpf.ReturnAddress != 0
		rule := u.code.find(of, pc, returnAddress)
		if rule.Kind == unwind.Unknown {
			rule.guessed = true
			if rule.searchable {
				rule.Rule = u.code.search(of, unwind.Registers{PC: pc, SP: at.SP, FP: at.FP}, read)
			}
		}
		if of.Space != 0 && (rule.known || !sure) {
			if err := u.teach(of.Space, at.PC, rule); err != nil {
				return err
			}
		}
		if rule.Kind == unwind.End {
			return nil
		}
		next, ok := rule.Step(at, read)
		if !ok {
			break
		}
		if next.PC == 0 {
			return nil
		}
		sure = sure && !rule.guessed
		// What a signal interrupted stands where it was, and not behind a call.
		if rule.Kind != unwind.Signal {
			next.PC |= bpf.ReturnAddress
		}
		at = next
		w.pcs = append(w.pcs, at.PC)
		if sure {
			w.sure = len(w.pcs)
		}
	}
	w.truncated = true
	return nil
}

// memoryOf reads the copy of the stack.
func memoryOf(m *bpf.StackMiss) func(address uint64) (uint64, bool) {
	memory := m.Memory[:m.Length]
	return func(address uint64) (uint64, bool) {
		offset := address - m.At.Sp
		if offset >= uint64(len(memory)) || uint64(len(memory))-offset < 8 {
			return 0, false
		}
		return binary.NativeEndian.Uint64(memory[offset:]), true
	}
}

// teach gives the kernel a rule that it has not been given. Where there are too many rules
// it begins anew.
func (u *unwinder) teach(space, pc uint64, rule codeRule) error {
	key, value := bpf.RuleKey{Space: space, Pc: pc}, kernelRule(rule)
	if _, ok := u.taught[key]; ok {
		return nil
	}
	err := u.rules.Update(key, value, ebpf.UpdateNoExist)
	if errors.Is(err, unix.E2BIG) {
		if err := u.unteach(); err != nil {
			return fmt.Errorf("make room for unwind rules: %w", err)
		}
		err = u.rules.Update(key, value, ebpf.UpdateAny)
	}
	if err != nil && !errors.Is(err, ebpf.ErrKeyExist) {
		return fmt.Errorf("keep an unwind rule: %w", err)
	}
	u.taught[key] = struct{}{}
	return nil
}

func kernelRule(rule codeRule) bpf.Rule {
	out := bpf.Rule{Cfa: rule.CFA, Fp: rule.FP}
	switch rule.Kind {
	case unwind.FromSP:
		out.Kind = uint8(bpf.RuleSP)
	case unwind.FromFP:
		out.Kind = uint8(bpf.RuleFP)
	case unwind.Signal:
		out.Kind = uint8(bpf.RuleSignal)
	case unwind.End:
		out.Kind = uint8(bpf.RuleEnd)
	default:
		out.Kind = uint8(bpf.RuleUnknown)
	}
	if rule.guessed {
		out.Guessed = 1
	}
	return out
}
