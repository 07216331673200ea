// SPDX-License-Identifier: Apache-2.0

package ksym_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/ksym"
)

func TestReadRestricted(t *testing.T) {
	table, err := ksym.Read(strings.NewReader("0000000000000000 T _text\n0000000000000000 t schedule\t[mod]\n"))
	require.ErrorIs(t, err, ksym.ErrRestricted)
	_, ok := table.Resolve(0)
	assert.False(t, ok)
	_, ok = table.Resolve(0xffffffff81000000)
	assert.False(t, ok)
}

func TestReadSkipsWhatMakesNoSense(t *testing.T) {
	for _, line := range []string{"zz T name", "1000 T", "1000 TT name", "garbage", "", "1000  name", "10000000000000000 T wide"} {
		t.Run(line, func(t *testing.T) {
			table, err := ksym.Read(strings.NewReader("1000 T before\n" + line + "\n2000 T after\n"))
			require.ErrorContains(t, err, "line 2")
			assert.NotErrorIs(t, err, ksym.ErrRestricted)
			got, ok := table.Resolve(0x2000)
			require.True(t, ok)
			assert.Equal(t, "after", got.Name)
		})
	}
}

func TestReadKeepsWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	text := io.MultiReader(strings.NewReader("1000 T before\n"), iotest.ErrReader(broken))
	table, err := ksym.Read(text)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, 1, table.Len())
}

func TestReadEmpty(t *testing.T) {
	table, err := ksym.Read(strings.NewReader(""))
	require.NoError(t, err)
	assert.Zero(t, table.Len())
}

func TestLoad(t *testing.T) {
	table, err := ksym.Load()
	require.NotNil(t, table)
	if errors.Is(err, ksym.ErrRestricted) || errors.Is(err, os.ErrNotExist) {
		assert.NotZero(t, os.Getuid(), "root sees addresses")
		assert.Zero(t, table.Len())
		return
	}
	require.NoError(t, err)
	got, ok := table.Resolve(addressOf(t, "schedule"))
	require.True(t, ok)
	assert.Equal(t, ksym.Symbol{Name: "schedule", Start: got.Start}, got)
}

// addressOf looks a name up in the kernel's own listing.
func addressOf(t *testing.T, name string) uint64 {
	t.Helper()
	text, err := os.ReadFile("/proc/kallsyms")
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[2]) == name {
			var a uint64
			for _, c := range fields[0] {
				a = a<<4 | uint64(strings.IndexByte("0123456789abcdef", c))
			}
			return a
		}
	}
	require.FailNow(t, "no such kernel symbol", name)
	return 0
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(listing), uint64(0xffffffff81000310))
	f.Add([]byte("0 T a\n"), uint64(0))
	f.Add([]byte("1000 T _etext\nffffffffffffffff t z\t[m]\n"), uint64(0xffffffffffffffff))
	f.Fuzz(func(t *testing.T, text []byte, address uint64) {
		table, _ := ksym.Read(bytes.NewReader(text))
		require.NotNil(t, table)
		got, ok := table.Resolve(address)
		if !ok {
			require.Zero(t, got)
			return
		}
		require.Equal(t, address, got.Start+got.Offset)
		require.NotEmpty(t, got.Name)
		require.Contains(t, string(text), got.Name)
		at, ok := table.Resolve(got.Start)
		require.True(t, ok)
		require.Equal(t, got.Name, at.Name)
		require.Zero(t, at.Offset)
	})
}

// BenchmarkLoad reports the bytes that the table keeps.
func BenchmarkLoad(b *testing.B) {
	var table *ksym.Table
	before := liveHeap()
	for b.Loop() {
		table, _ = ksym.Load()
	}
	b.ReportMetric(float64(liveHeap()-before), "B/table")
	b.ReportMetric(float64(table.Len()), "symbols")
}

func BenchmarkResolve(b *testing.B) {
	table, err := ksym.Load()
	if err != nil {
		b.Skip(err)
	}
	address := uint64(0xffffffff81000000)
	for b.Loop() {
		table.Resolve(address)
		address += 4099
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
