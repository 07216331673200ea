// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"fmt"
)

// DecodeJSON reads the copy of a ledger that is kept with the results. It checks what
// Read checks of the binary form: places, kinds and the order of instants.
func DecodeJSON(data []byte) (*Ledger, error) {
	l := new(Ledger)
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if l.Go < 0 || l.Stop < 0 || l.Stop != 0 && l.Stop <= l.Go {
		return nil, fmt.Errorf("%w: window from %d to %d", ErrFormat, l.Go, l.Stop)
	}
	for i, t := range l.Threads {
		for j, e := range t.Entries {
			if err := e.check(len(l.Resources)); err != nil {
				return nil, fmt.Errorf("thread %d: entry %d: %w", i, j, err)
			}
		}
	}
	return l, nil
}

func (e Entry) check(resources int) error {
	switch {
	case e.Kind < Waiting || e.Kind > Working:
		return fmt.Errorf("%w: %s", ErrFormat, e.Kind)
	case e.Resource < 0 || e.Resource >= resources:
		return fmt.Errorf("%w: resource %d of %d", ErrFormat, e.Resource, resources)
	case e.Begin <= 0 || e.End != 0 && e.End < e.Begin:
		return fmt.Errorf("%w: from %d to %d", ErrFormat, e.Begin, e.End)
	default:
		return nil
	}
}
