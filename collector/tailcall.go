// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"io"
	"strings"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
	"github.com/os2026/ebpf-rca/unwind"
	"github.com/os2026/ebpf-rca/usym"
)

// Some functions of the C library jump to an inner one that waits, and are not on the
// stack: sem_wait, pthread_join. The inner one has a name only where the library's debug
// symbols are installed. What the program called still stands before the address to which
// that returns.

// withTailCall puts the function of the C library that a program called, and which is not
// on its stack, where it would be. It is shown as if it had been inlined.
func withTailCall(symbols *usym.Symbolizer, of usym.Process, frames contention.Stack) contention.Stack {
	outer := 0 // the library's own frames
	for outer < len(frames) && isCLibrary(frames[outer].Module) {
		if isLibraryCall(frames[outer].Function) {
			return frames
		}
		outer++
	}
	if outer == 0 || outer == len(frames) || frames[outer].Guessed {
		return frames
	}
	name := calledBefore(symbols, of, uint64(frames[outer].Address))
	if _, waits := libraryCalls[plainName(name)]; !waits {
		return frames
	}
	jumped := frames[outer-1]
	jumped.Function, jumped.File, jumped.Line, jumped.Inlined = name, "", 0, true
	out := append(contention.Stack{}, frames[:outer]...)
	return append(append(out, jumped), frames[outer:]...)
}

// calledBefore returns the function of another module that was called right before
// address, "" if it was not called by its name.
func calledBefore(symbols *usym.Symbolizer, of usym.Process, address uint64) string {
	memory, err := image.OpenMemory(of.PID)
	if err != nil {
		return ""
	}
	defer memory.Close()
	return nameCalled(memory, address, func(at uint64) string { return symbols.Frame(of, at).Function })
}

func nameCalled(memory io.ReaderAt, address uint64, name func(uint64) string) string {
	var before [unwind.LongestCall]byte
	if _, err := memory.ReadAt(before[:], int64(address)-int64(len(before))); err != nil {
		return ""
	}
	_, displacement, direct := unwind.BehindCall(before[:])
	if !direct {
		return ""
	}
	function, _ := strings.CutSuffix(name(address+uint64(int64(displacement))), "@plt")
	return function
}
