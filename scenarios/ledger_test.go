// SPDX-License-Identifier: Apache-2.0

package scenarios_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The part of ledger.h that these tests look at.

const (
	waiting = 1

	culpritFlag        = 1
	wouldBeCulpritFlag = 2
)

type ledgerHeader struct {
	Magic              [8]byte
	Threads, Resources uint32
	Capacity           uint64
	Go, Stop           uint64
}

type ledgerResource struct {
	Kind           [24]byte
	Address, Inode uint64
	PID, Rule      uint32
}

type ledgerThread struct {
	PID, TID                           uint32
	StartTicks                         uint64
	Flags, _                           uint32
	Decoy                              [24]byte
	Entries, Dropped                   uint64
	Operations, Acquisitions, Switches uint64
	RunDelayBegin, RunDelayEnd         uint64
}

type ledgerEntry struct {
	Begin, End     uint64
	Kind, Resource uint32
}

type ledger struct {
	ledgerHeader
	resources []ledgerResource
	threads   []ledgerThread
	entries   [][]ledgerEntry // of each thread, those that are used
}

// readLedger reads what is used of a ledger, which may still be written to.
func readLedger(t *testing.T, path string) *ledger {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	get := func(v any) { require.NoError(t, binary.Read(file, binary.LittleEndian, v)) }

	var l ledger
	get(&l.ledgerHeader)
	require.Equal(t, "RCALEDG1", string(l.Magic[:]))
	l.resources = make([]ledgerResource, l.Resources)
	get(l.resources)
	l.threads = make([]ledgerThread, l.Threads)
	get(l.threads)
	for _, th := range l.threads {
		require.LessOrEqual(t, th.Entries, l.Capacity)
		used := make([]ledgerEntry, th.Entries)
		get(used)
		l.entries = append(l.entries, used)
		unused := int64(l.Capacity-th.Entries) * int64(binary.Size(ledgerEntry{}))
		_, err := file.Seek(unused, io.SeekCurrent)
		require.NoError(t, err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	want := binary.Size(l.ledgerHeader) + binary.Size(l.resources) + binary.Size(l.threads)
	want += int(l.Capacity) * len(l.threads) * binary.Size(ledgerEntry{})
	require.EqualValues(t, want, size)
	return &l
}

// flagged lists the threads, by index, that have any of the flags.
func (l *ledger) flagged(flags uint32) []int {
	var list []int
	for i, th := range l.threads {
		if th.Flags&flags != 0 {
			list = append(list, i)
		}
	}
	return list
}

// kept is how long the threads that wanted picks kept others waiting, if there were
// any: held something or worked on it within the window and, unless stuck, did not
// wait themselves meanwhile.
func (l *ledger) kept(wanted func(ledgerThread) bool, stuck bool) time.Duration {
	var sum time.Duration
	for i, th := range l.threads {
		if wanted(th) {
			sum += l.keptBy(l.entries[i], stuck)
		}
	}
	return sum
}

func (l *ledger) keptBy(entries []ledgerEntry, stuck bool) time.Duration {
	type edge struct {
		at             uint64
		keeping, waits int
	}
	var edges []edge
	for _, e := range entries {
		end := min(e.End, l.Stop)
		if end == 0 {
			end = l.Stop
		}
		change := edge{at: min(max(e.Begin, l.Go), end), keeping: 1}
		if e.Kind == waiting {
			change.keeping, change.waits = 0, 1
		}
		edges = append(edges, change, edge{end, -change.keeping, -change.waits})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var now edge
	var sum uint64
	for _, e := range edges {
		if now.keeping > 0 && (stuck || now.waits == 0) {
			sum += e.at - now.at
		}
		now = edge{e.at, now.keeping + e.keeping, now.waits + e.waits}
	}
	return time.Duration(sum)
}

func (l *ledger) acquisitions() float64 {
	var sum uint64
	for _, th := range l.threads {
		sum += th.Acquisitions
	}
	return float64(sum)
}

func text(field []byte) string {
	used, _, _ := bytes.Cut(field, []byte{0})
	return string(used)
}
