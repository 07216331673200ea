// SPDX-License-Identifier: Apache-2.0

package unwind

// Registers are those that a Rule needs.
type Registers struct{ PC, SP, FP uint64 }

// Where the kernel keeps the interrupted registers: rt_sigreturn is called with SP at
// the struct ucontext, whose uc_mcontext begins 40 bytes on (x86-64 ABI).
const (
	signalFP = 120
	signalSP = 160
	signalPC = 168
)

// Step returns the registers of the caller; read returns the word at an address. It
// is false where there is no caller by the rule, where memory cannot be read, or where
// the stack pointer would not grow. Past a Signal it need not grow, for handlers may
// have a stack of their own: whoever walks bounds the number of frames. The PC of the
// caller is a return address, but past a Signal it is exact; 0 means that there is no
// caller.
func (r Rule) Step(regs Registers, read func(address uint64) (uint64, bool)) (Registers, bool) {
	switch r.Kind {
	case FromSP:
		return r.stepTo(regs.SP+uint64(int64(r.CFA)), regs, read)
	case FromFP:
		return r.stepTo(regs.FP+uint64(int64(r.CFA)), regs, read)
	case Signal:
		return stepOverSignal(regs.SP, read)
	default:
		return Registers{}, false
	}
}

func (r Rule) stepTo(cfa uint64, regs Registers, read func(uint64) (uint64, bool)) (Registers, bool) {
	if cfa <= regs.SP || cfa-regs.SP < wordSize {
		return Registers{}, false
	}
	pc, ok := read(cfa - wordSize)
	if !ok {
		return Registers{}, false
	}
	fp := regs.FP
	if r.FP != 0 {
		if fp, ok = read(cfa + uint64(int64(r.FP))); !ok {
			return Registers{}, false
		}
	}
	return Registers{PC: pc, SP: cfa, FP: fp}, true
}

func stepOverSignal(sp uint64, read func(uint64) (uint64, bool)) (Registers, bool) {
	var words [3]uint64
	for i, offset := range []uint64{signalPC, signalSP, signalFP} {
		word, ok := read(sp + offset)
		if !ok {
			return Registers{}, false
		}
		words[i] = word
	}
	if words[1] == sp {
		return Registers{}, false
	}
	return Registers{PC: words[0], SP: words[1], FP: words[2]}, true
}
