// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/image/gopcln"
)

// goTable gives the rules of code by the table of stack depths of each function.
type goTable struct {
	base      uint64 // functions are relative to it
	end       uint32
	functions []goFunction // by start
	pctab     []byte
}

type goFunction struct {
	start uint32
	pcsp  uint32 // offset in pctab of its stack depths; 0: it has none
	kind  goKind
}

const goFunctionBytes = 12

// goKind says what of a function is known beside its stack depths.
type goKind uint8

const (
	goPlain    goKind = iota
	goSwitches        // it moves to another stack, its depths are worth nothing
	goSignal          // signal handlers return to it
	goEnd             // the outermost function of a stack
)

// What the flags do not say, or did not say before Go 1.17. Mcall leaves the stack of
// a goroutine for that of its thread and does not come back. Systemstack does, but
// where to is not on the stack.
var goNamed = map[string]goKind{
	"runtime.asmcgocall":           goSwitches,
	"runtime.goexit":               goEnd,
	"runtime.mcall":                goEnd,
	"runtime.morestack":            goSwitches,
	"runtime.mstart":               goEnd,
	"runtime.rt0_go":               goEnd,
	"runtime.sigreturn":            goSignal,
	"runtime.sigreturn__sigaction": goSignal,
	"runtime.sigtramp":             goPlain, // flagged as outermost, but returns
	"runtime.systemstack":          goSwitches,
}

func readGo(f *elfFile) (source, error) {
	t, err := openPclntab(f)
	if err != nil {
		return nil, fmt.Errorf("reading .gopclntab: %w", err)
	}
	g, err := t.table()
	if err != nil {
		return nil, fmt.Errorf("reading .gopclntab: %w: %w", ErrNoRules, err)
	}
	return g, nil
}

func (t *pclntab) table() (*goTable, error) {
	g := &goTable{functions: make([]goFunction, 0, t.Functions)}
	var err error
	if g.pctab, err = t.part(t.ValueTables, t.Data); err != nil {
		return nil, err
	}
	names, err := t.part(t.Names, t.Units)
	if err != nil {
		names = nil // flags must do
	}
	err = t.Walk(func(r *gopcln.Record) error {
		if len(g.functions) == 0 && t.Version < gopcln.Go118 {
			g.base = r.Start
		}
		return g.add(r, names)
	})
	if err != nil {
		return nil, err
	}
	if len(g.functions) == 0 {
		return nil, errors.New("no functions")
	}
	if t.Version >= gopcln.Go118 {
		if g.base, err = t.file.findText(t.Table, g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// add adds a function, which is behind the others.
func (g *goTable) add(r *gopcln.Record, names []byte) error {
	if r.End-g.base > math.MaxUint32 {
		return fmt.Errorf("code of %#x bytes: %w", r.End-g.base, image.ErrTooLarge)
	}
	g.end = uint32(r.End - g.base)
	name, err := r.Field(gopcln.Name)
	if err != nil {
		return err
	}
	pcsp, err := r.Field(gopcln.StackDepths)
	if err != nil {
		return err
	}
	flags, err := r.Flags()
	if err != nil {
		return err
	}
	g.functions = append(g.functions, goFunction{
		start: uint32(r.Start - g.base), pcsp: pcsp, kind: goKindOf(flags, nameAt(names, name)),
	})
	return nil
}

// maxGoName is longer than any name in goNamed.
const maxGoName = 32

// nameAt returns the beginning of a name, which is enough to know those in goNamed.
func nameAt(names []byte, offset uint32) []byte {
	if uint64(offset) >= uint64(len(names)) {
		return nil
	}
	name := names[offset:min(uint64(len(names)), uint64(offset)+maxGoName)]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		return name[:end]
	}
	return name
}

func goKindOf(flags byte, name []byte) goKind {
	if kind, ok := goNamed[string(name)]; ok {
		return kind
	}
	switch {
	case flags&gopcln.TopFrame != 0:
		return goEnd
	case flags&gopcln.SPWrite != 0:
		return goSwitches
	default:
		return goPlain
	}
}

// rule is the Rule of the code at pc; false where it is not Go's.
func (g *goTable) rule(pc uint64, returnAddress bool) (Rule, bool) {
	inside := pc
	if returnAddress {
		// The kernel puts the first byte of this one there, it never called it.
		if f, ok := g.find(pc); ok && f.kind == goSignal && g.base+uint64(f.start) == pc {
			return Rule{Kind: Signal}, true
		}
		inside--
	}
	f, ok := g.find(inside)
	if !ok {
		return Rule{}, false
	}
	switch f.kind {
	case goSwitches:
		return Rule{}, true
	case goSignal:
		return Rule{Kind: Signal}, true
	case goEnd:
		return Rule{Kind: End}, true
	default:
		depth, ok := g.depth(f, uint32(inside-g.base)-f.start)
		if !ok {
			return Rule{}, true
		}
		return goRule(depth), true
	}
}

// goRule is the rule where a function has put depth bytes on the stack. The first word
// is the frame pointer of the caller, but for some functions in assembly; Go code does
// not need it to unwind.
func goRule(depth int32) Rule {
	r := Rule{Kind: FromSP, CFA: depth + wordSize}
	if depth >= wordSize {
		r.FP = FramePointer().FP
	}
	return r
}

func (g *goTable) find(pc uint64) (goFunction, bool) {
	if pc-g.base >= uint64(g.end) {
		return goFunction{}, false
	}
	offset := uint32(pc - g.base)
	i := sort.Search(len(g.functions), func(i int) bool { return g.functions[i].start > offset })
	if i == 0 {
		return goFunction{}, false
	}
	return g.functions[i-1], true
}

// depth returns how many bytes of stack f uses at an offset of its code.
func (g *goTable) depth(f goFunction, offset uint32) (int32, bool) {
	d := g.depths(f)
	for d.Next() {
		if uint64(offset) < d.End {
			return d.Value, d.Value >= 0 && d.Value <= math.MaxInt32-wordSize
		}
	}
	return 0, false
}

func (g *goTable) bytes() int { return cap(g.functions)*goFunctionBytes + cap(g.pctab) }

// depths walks the stack depths of a function.
func (g *goTable) depths(f goFunction) *gopcln.Values {
	const most = 1 << 17 // bytes
	var table []byte
	if f.pcsp != 0 && uint64(f.pcsp) < uint64(len(g.pctab)) {
		table = g.pctab[f.pcsp:]
	}
	return gopcln.WalkValues(bytes.NewReader(table[:min(len(table), most)]), goQuantum)
}
