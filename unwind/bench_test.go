// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Libraries of several sizes; those that are there are read.
var libraries = map[string]string{
	"libc":    libc,
	"libLLVM": "/usr/lib/llvm-19/lib/libLLVM.so.1",
	"libjvm":  "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
	"go":      "/usr/local/go/bin/go",
}

func open(b *testing.B, path string) (*os.File, int64) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		b.Skip("no " + path)
	}
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	require.NoError(b, err)
	return f, info.Size()
}

// BenchmarkRead reports also the memory that a table keeps.
func BenchmarkRead(b *testing.B) {
	for name, path := range libraries {
		b.Run(name, func(b *testing.B) {
			f, size := open(b, path)
			kept := 0
			for b.Loop() {
				table, err := Read(f, size)
				require.NoError(b, err)
				kept = table.Bytes()
			}
			b.ReportMetric(float64(kept), "kept-B")
		})
	}
}

func BenchmarkRule(b *testing.B) {
	for name, path := range libraries {
		b.Run(name, func(b *testing.B) {
			f, size := open(b, path)
			table, err := Read(f, size)
			require.NoError(b, err)
			pcs := middles(table)
			for i := 0; b.Loop(); i++ {
				_ = table.Rule(pcs[i%len(pcs)], true)
			}
		})
	}
}

// middles returns a program counter in each function.
func middles(t *Table) []uint64 {
	var pcs []uint64
	for _, s := range t.sources {
		switch s := s.(type) {
		case *frames:
			for _, d := range s.fdes {
				pcs = append(pcs, d.start+uint64(d.length)/2)
			}
		case *goTable:
			for _, f := range s.functions {
				pcs = append(pcs, s.base+uint64(f.start)+16)
			}
		}
	}
	return pcs
}
