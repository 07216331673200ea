// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Bounds of what is believed. A workload is far below them.
const (
	maxThreads   = 4096
	maxResources = 256 // LEDGER_MAX_RESOURCES
	maxCapacity  = 1 << 26
)

// ErrFormat is wrapped by every error about a file that is not a whole ledger.
var ErrFormat = errors.New("malformed ledger")

// Read reads the binary form. Where r can seek, the parts not written to are
// skipped rather than read.
func Read(r io.Reader) (*Ledger, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	l := &Ledger{Go: instant(h.GoNS), Stop: instant(h.StopNS)}
	if l.Resources, err = readResources(r, h.Resources); err != nil {
		return nil, err
	}
	raw := make([]rawThread, h.Threads)
	if err := read(r, raw); err != nil {
		return nil, fmt.Errorf("read threads: %w", err)
	}
	seen := make(map[contention.ThreadID]bool, len(raw))
	for i, rt := range raw {
		t, err := readThread(r, rt, h)
		if err != nil {
			return nil, fmt.Errorf("thread %d: %w", i, err)
		}
		if seen[t.ID()] {
			return nil, fmt.Errorf("thread %d: %w: tid %d twice", i, ErrFormat, t.TID)
		}
		seen[t.ID()] = true
		l.Threads = append(l.Threads, t)
	}
	return l, nil
}

func readHeader(r io.Reader) (rawHeader, error) {
	var h rawHeader
	if err := read(r, &h); err != nil {
		return h, fmt.Errorf("read header: %w", err)
	}
	switch {
	case string(h.Magic[:]) != magic:
		return h, fmt.Errorf("%w: magic %q, not %q", ErrFormat, h.Magic[:], magic)
	case h.Threads == 0 || h.Threads > maxThreads:
		return h, fmt.Errorf("%w: %d threads, not 1 to %d", ErrFormat, h.Threads, maxThreads)
	case h.Resources > maxResources:
		return h, fmt.Errorf("%w: %d resources, above %d", ErrFormat, h.Resources, maxResources)
	case h.Capacity > maxCapacity:
		return h, fmt.Errorf("%w: room for %d entries a thread, above %d", ErrFormat, h.Capacity, maxCapacity)
	case h.GoNS > math.MaxInt64 || h.StopNS > math.MaxInt64:
		return h, fmt.Errorf("%w: window out of range", ErrFormat)
	case h.StopNS != 0 && h.StopNS <= h.GoNS:
		return h, fmt.Errorf("%w: window from %d to %d", ErrFormat, h.GoNS, h.StopNS)
	}
	return h, nil
}

func readResources(r io.Reader, n uint32) ([]Resource, error) {
	raw := make([]rawResource, n)
	if err := read(r, raw); err != nil {
		return nil, fmt.Errorf("read resources: %w", err)
	}
	list := make([]Resource, n)
	for i, rr := range raw {
		kind, err := text(rr.Kind[:])
		switch {
		case err != nil || kind == "":
			return nil, fmt.Errorf("resource %d: %w: kind %q", i, ErrFormat, rr.Kind[:])
		case rr.Rule > ruleAllLeave:
			return nil, fmt.Errorf("resource %d: %w: rule %d", i, ErrFormat, rr.Rule)
		}
		list[i] = Resource{
			Resource: contention.Resource{
				Kind: contention.Kind(kind), Address: contention.Address(rr.Address), Inode: rr.Inode, PID: int(rr.PID),
			},
			OneWay:   rr.Rule == ruleProduced,
			AllLeave: rr.Rule == ruleAllLeave,
		}
	}
	return list, nil
}

func readThread(r io.Reader, rt rawThread, h rawHeader) (Thread, error) {
	decoy, err := text(rt.Decoy[:])
	switch {
	case err != nil:
		return Thread{}, fmt.Errorf("%w: decoy %q", ErrFormat, rt.Decoy[:])
	case rt.PID == 0 || rt.TID == 0:
		return Thread{}, fmt.Errorf("%w: pid %d, tid %d", ErrFormat, rt.PID, rt.TID)
	case rt.StartTicks > math.MaxInt64/uint64(StartTick):
		return Thread{}, fmt.Errorf("%w: start %d out of range", ErrFormat, rt.StartTicks)
	case rt.Entries > h.Capacity:
		return Thread{}, fmt.Errorf("%w: %d entries in room for %d", ErrFormat, rt.Entries, h.Capacity)
	}
	delay, err := runDelay(rt, h.StopNS != 0)
	if err != nil {
		return Thread{}, err
	}
	entries, err := readEntries(r, rt.Entries, h.Resources)
	if err != nil {
		return Thread{}, err
	}
	if err := skip(r, int64(h.Capacity-rt.Entries)*int64(binary.Size(rawEntry{}))); err != nil {
		return Thread{}, fmt.Errorf("skip unused entries: %w", err)
	}
	return Thread{
		Thread: contention.Thread{
			PID: int(rt.PID), TID: int(rt.TID), Start: time.Duration(rt.StartTicks) * StartTick,
		},
		Culprit:        rt.Flags&flagCulprit != 0,
		WouldBeCulprit: rt.Flags&flagWouldBeCulprit != 0,
		Decoy:          decoy,
		Dropped:        rt.Dropped,
		Operations:     rt.Operations,
		Acquisitions:   rt.Acquisitions,
		Switches:       rt.Switches,
		RunDelay:       delay,
		Entries:        entries,
	}, nil
}

// runDelay is what the thread's run delay grew by. A run that was cut short has no
// second reading.
func runDelay(rt rawThread, complete bool) (time.Duration, error) {
	begin, end := rt.RunDelayBeginNS, rt.RunDelayEndNS
	if end >= begin && end-begin <= math.MaxInt64 {
		return time.Duration(end - begin), nil
	}
	if !complete {
		return 0, nil
	}
	return 0, fmt.Errorf("%w: run delay went from %d to %d", ErrFormat, begin, end)
}

// readEntries grows as it reads, so that a wrong count costs no memory.
func readEntries(r io.Reader, n uint64, resources uint32) ([]Entry, error) {
	const chunk = 2048
	var list []Entry
	raw := make([]rawEntry, min(n, chunk))
	for uint64(len(list)) < n {
		part := raw[:min(n-uint64(len(list)), chunk)]
		if err := read(r, part); err != nil {
			return nil, fmt.Errorf("read entries: %w", err)
		}
		for _, re := range part {
			e, err := entry(re, resources)
			if err != nil {
				return nil, fmt.Errorf("entry %d: %w", len(list), err)
			}
			list = append(list, e)
		}
	}
	return list, nil
}

func entry(re rawEntry, resources uint32) (Entry, error) {
	switch {
	case re.Kind < uint32(Waiting) || re.Kind > uint32(Working):
		return Entry{}, fmt.Errorf("%w: kind %d", ErrFormat, re.Kind)
	case re.Resource >= resources:
		return Entry{}, fmt.Errorf("%w: resource %d of %d", ErrFormat, re.Resource, resources)
	case re.BeginNS == 0 || re.BeginNS > math.MaxInt64 || re.EndNS > math.MaxInt64:
		return Entry{}, fmt.Errorf("%w: from %d to %d", ErrFormat, re.BeginNS, re.EndNS)
	case re.EndNS != 0 && re.EndNS < re.BeginNS:
		return Entry{}, fmt.Errorf("%w: reversed, from %d to %d", ErrFormat, re.BeginNS, re.EndNS)
	}
	return Entry{Kind: Kind(re.Kind), Begin: instant(re.BeginNS), End: instant(re.EndNS), Resource: int(re.Resource)}, nil
}

// read fills v, whose size is known, from r. An end of file is a truncated ledger.
func read(r io.Reader, v any) error {
	err := binary.Read(r, binary.LittleEndian, v)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: truncated", ErrFormat)
	}
	return err
}

// skip passes over n bytes. The last unused entries may be missing from a file:
// nothing is lost with them.
func skip(r io.Reader, n int64) error {
	if s, ok := r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekCurrent)
		return err
	}
	_, err := io.CopyN(io.Discard, r, n)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// text reads a field that is filled up with zeros and holds printable ASCII.
func text(field []byte) (string, error) {
	used, rest, _ := bytes.Cut(field, []byte{0})
	if strings.Trim(string(rest), "\x00") != "" {
		return "", fmt.Errorf("%w: bytes after the end of the text", ErrFormat)
	}
	for _, c := range used {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("%w: byte %#x in a text", ErrFormat, c)
		}
	}
	return string(used), nil
}

func instant(ns uint64) time.Duration { return time.Duration(ns) }
