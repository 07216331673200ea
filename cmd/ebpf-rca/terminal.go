// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal reports whether w is a file that a person looks at.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// progress writes a line over the one before, where a person sees it; elsewhere it
// is silent.
type progress struct {
	w io.Writer // nil: silent
}

func newProgress(w io.Writer) progress {
	if isTerminal(w) {
		return progress{w}
	}
	return progress{}
}

func (p progress) show(format string, args ...any) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

// clear takes the line away.
func (p progress) clear() { p.show("") }
