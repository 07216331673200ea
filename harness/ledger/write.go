// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Write writes the binary form of l with room for capacity entries a thread, as a
// workload does that is written in Go.
func Write(w io.Writer, l *Ledger, capacity int) error {
	h := rawHeader{
		Threads:   uint32(len(l.Threads)),
		Resources: uint32(len(l.Resources)),
		Capacity:  uint64(capacity),
		GoNS:      uint64(l.Go),
		StopNS:    uint64(l.Stop),
	}
	copy(h.Magic[:], magic)
	parts := []any{h}
	for _, r := range l.Resources {
		parts = append(parts, rawResourceOf(r))
	}
	for _, t := range l.Threads {
		parts = append(parts, rawThreadOf(t))
	}
	for i, t := range l.Threads {
		if len(t.Entries) > capacity {
			return fmt.Errorf("write ledger: thread %d has %d entries, room for %d", i, len(t.Entries), capacity)
		}
		parts = append(parts, rawEntriesOf(t.Entries, capacity))
	}
	for _, p := range parts {
		if err := binary.Write(w, binary.LittleEndian, p); err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
	}
	return nil
}

func rawResourceOf(r Resource) rawResource {
	raw := rawResource{Address: uint64(r.Address), Inode: r.Inode, PID: uint32(r.PID)}
	copy(raw.Kind[:], r.Kind)
	switch {
	case r.OneWay:
		raw.Rule = ruleProduced
	case r.AllLeave:
		raw.Rule = ruleAllLeave
	default:
		raw.Rule = ruleAnyLeaves
	}
	return raw
}

func rawThreadOf(t Thread) rawThread {
	raw := rawThread{
		PID:           uint32(t.PID),
		TID:           uint32(t.TID),
		StartTicks:    uint64(t.Start / StartTick),
		Entries:       uint64(len(t.Entries)),
		Dropped:       t.Dropped,
		Operations:    t.Operations,
		Acquisitions:  t.Acquisitions,
		Switches:      t.Switches,
		RunDelayEndNS: uint64(t.RunDelay),
	}
	if t.Culprit {
		raw.Flags |= flagCulprit
	}
	if t.WouldBeCulprit {
		raw.Flags |= flagWouldBeCulprit
	}
	copy(raw.Decoy[:], t.Decoy)
	return raw
}

func rawEntriesOf(list []Entry, capacity int) []rawEntry {
	raw := make([]rawEntry, capacity)
	for i, e := range list {
		raw[i] = rawEntry{BeginNS: uint64(e.Begin), EndNS: uint64(e.End), Kind: uint32(e.Kind), Resource: uint32(e.Resource)}
	}
	return raw
}
