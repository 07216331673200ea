// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bytes"
	"encoding/binary"
)

// maxScan is the most of a stack that Scan searches, in bytes.
const maxScan = 1 << 20

// Scan finds the caller of code that has neither unwind information nor a frame
// pointer: the first word from sp upwards, within limit bytes, that isReturn takes for
// a return address, which should mean that it lies in executable memory right behind a
// call instruction. The Rule leads to it. It is a guess: the word may be left over
// from an earlier call.
func Scan(sp uint64, limit int, read func(address uint64) (uint64, bool), isReturn func(address uint64) bool) (Rule, bool) {
	first := -sp % wordSize
	for offset := first; offset+wordSize <= uint64(max(0, min(limit, maxScan))); offset += wordSize {
		if sp+offset+wordSize < sp { // no CFA lies past the end of memory
			return Rule{}, false
		}
		word, ok := read(sp + offset)
		if !ok {
			return Rule{}, false
		}
		if isReturn(word) {
			return Rule{Kind: FromSP, CFA: int32(offset + wordSize)}, true
		}
	}
	return Rule{}, false
}

// LongestCall is how many bytes before an address BehindCall may want to see.
const LongestCall = 8

const (
	directCall      = 0xe8 // call rel32
	directCallBytes = 5
	indirectCall    = 0xff // call r/m64, with 2 as the register field of ModRM
)

// BehindCall reports whether code, the bytes that end right before an address, ends in
// a call instruction, and for a direct call its displacement from that address. Bytes
// that only look like one are taken for it: one place in about 230 of random bytes.
func BehindCall(code []byte) (ok bool, rel int32, direct bool) {
	if at := len(code) - directCallBytes; at >= 0 && code[at] == directCall {
		return true, int32(binary.LittleEndian.Uint32(code[at+1:])), true
	}
	for length := 2; length <= min(len(code), LongestCall); length++ {
		if indirectCallLength(code[len(code)-length:]) == length {
			return true, 0, false
		}
	}
	return false, 0, false
}

// indirectCallLength returns how long the indirect call is that code, 2 bytes at
// least, begins with; 0 if it is none.
func indirectCallLength(code []byte) int {
	const rexMask, rex = 0xf0, 0x40
	if code[0]&rexMask == rex && len(code) > 2 {
		if n := indirectCallLength(code[1:]); n > 0 {
			return n + 1
		}
		return 0
	}
	if code[0] != indirectCall || code[1]>>3&7 != 2 {
		return 0
	}
	const needsSIB, noBase = 4, 5 // of the r/m field, and of SIB's base
	mode, rm, length := code[1]>>6, code[1]&7, 2
	if mode == 3 {
		return length
	}
	base := rm
	if rm == needsSIB {
		if len(code) < 3 {
			return 0
		}
		base = code[2] & 7
		length++
	}
	switch {
	case mode == 1:
		return length + 1
	case mode == 2, mode == 0 && base == noBase:
		return length + 4
	default:
		return length
	}
}

// LongestSignalReturn is how many bytes from an address on SignalReturn may want to see.
const LongestSignalReturn = 9

// rt_sigreturn as C libraries and debuggers know it: mov $15,%rax or mov $15,%eax,
// then syscall.
var signalReturns = [][]byte{
	{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05},
	{0xb8, 15, 0, 0, 0, 0x0f, 0x05},
}

// SignalReturn reports whether code, the bytes from an address on, is what a signal
// handler returns to: the rule there is Signal, also where the file does not say so
// (musl).
func SignalReturn(code []byte) bool {
	for _, s := range signalReturns {
		if bytes.HasPrefix(code, s) {
			return true
		}
	}
	return false
}
