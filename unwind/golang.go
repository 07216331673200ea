// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
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

// Flags of a function.
const (
	goTopFrame = 1 << iota
	goSPWrite
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
		return nil, fmt.Errorf("reading .gopclntab: %w", err)
	}
	return g, nil
}

func (t *pclntab) table() (*goTable, error) {
	list, end, err := t.list()
	if err != nil {
		return nil, err
	}
	g := &goTable{}
	if g.pctab, err = t.read(t.pctab, t.functions); err != nil {
		return nil, err
	}
	if t.absolute {
		g.base = list[0].start
	}
	if end-g.base > math.MaxUint32 {
		return nil, fmt.Errorf("code of %#x bytes: %w", end-g.base, errTooLarge)
	}
	g.end = uint32(end - g.base)
	if g.functions, err = t.describe(list, g.base); err != nil {
		return nil, err
	}
	if !t.absolute {
		if g.base, err = t.findText(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// describe reads the records of the functions.
func (t *pclntab) describe(list []listed, base uint64) ([]goFunction, error) {
	last := slices.MaxFunc(list, func(a, b listed) int { return cmp.Compare(a.record, b.record) }).record
	if last > t.size {
		return nil, fmt.Errorf("record at %#x: %w", last, ErrNoRules)
	}
	records, err := t.read(t.functions, t.functions+last+uint64(t.entry.size))
	if err != nil {
		return nil, err
	}
	names, err := t.read(t.names, t.cus)
	if err != nil {
		names = nil // flags must do
	}
	functions := make([]goFunction, len(list))
	for i, l := range list {
		record := records[l.record:]
		functions[i] = goFunction{
			start: uint32(l.start - base),
			pcsp:  binary.LittleEndian.Uint32(record[t.entry.pcsp:]),
			kind:  goKindOf(record[t.entry.flag], nameAt(names, binary.LittleEndian.Uint32(record[t.entry.name:]))),
		}
	}
	return functions, nil
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
	case flags&goTopFrame != 0:
		return goEnd
	case flags&goSPWrite != 0:
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
	for d.next() {
		if offset < d.end {
			return d.value, d.value >= 0 && d.value <= math.MaxInt32-wordSize
		}
	}
	return 0, false
}

func (g *goTable) bytes() int { return cap(g.functions)*goFunctionBytes + cap(g.pctab) }

// depths walks the stack depths of a function: value holds up to the offset end of its
// code.
type depths struct {
	cursor
	value int32
	end   uint32
	left  int
}

func (g *goTable) depths(f goFunction) depths {
	if f.pcsp == 0 {
		return depths{cursor: cursor{bad: true}}
	}
	return depths{
		cursor: cursorAt(g.pctab, uint64(f.pcsp), uint64(len(g.pctab))),
		value:  -1,
		left:   maxInstructions,
	}
}

func (d *depths) next() bool {
	first := d.left == maxInstructions
	d.left--
	step := uint32(d.uleb()) // zig-zag: the sign is the lowest bit
	if d.bad || d.left < 0 || step == 0 && !first {
		return false
	}
	d.value += int32(step>>1) ^ -int32(step&1)
	end := d.end + uint32(d.uleb())
	if d.bad || end <= d.end {
		return false
	}
	d.end = end
	return true
}
