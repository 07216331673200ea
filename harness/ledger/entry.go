// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Kind says what a thread did in an interval.
type Kind uint8

// The kinds of interval.
const (
	Waiting Kind = iota + 1 // for the resource
	Holding                 // the resource, so that others cannot have it
	Working                 // on what others wait for from the resource
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Waiting:
		return "waiting"
	case Holding:
		return "holding"
	case Working:
		return "working"
	default:
		return "kind " + strconv.Itoa(int(k))
	}
}

// Entry is one interval of one thread.
type Entry struct {
	Kind  Kind
	Begin time.Duration
	// End is 0 where the interval had not ended.
	End time.Duration
	// Resource is a place in Ledger.Resources.
	Resource int
}

// Open reports whether the interval had not ended.
func (e Entry) Open() bool { return e.End == 0 }

// Clip returns the part of e inside w; an open interval lasts to the end of w. It
// reports false where e lies outside.
func (e Entry) Clip(w contention.Window) (contention.Window, bool) {
	end := e.End
	if e.Open() {
		end = w.End
	}
	part := contention.Window{Begin: max(e.Begin, w.Begin), End: min(end, w.End)}
	empty := e.Begin == e.End && part.Begin == part.End
	return part, empty || part.Begin < part.End
}

// MarshalJSON renders e as [kind, begin, end, resource]: a ledger has many.
func (e Entry) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d,%d]", e.Kind, e.Begin, e.End, e.Resource), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Entry) UnmarshalJSON(data []byte) error {
	var v [4]int64
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("ledger entry: %w", err)
	}
	if v[0] != int64(Kind(v[0])) {
		return fmt.Errorf("ledger entry: kind %d", v[0])
	}
	*e = Entry{Kind: Kind(v[0]), Begin: time.Duration(v[1]), End: time.Duration(v[2]), Resource: int(v[3])}
	return nil
}
