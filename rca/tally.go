// SPDX-License-Identifier: Apache-2.0

package rca

// tally is a map that is small most of the time: it is a list, searched through, and
// has a map beside it only when it grows. Its entries are in the order in which they
// were added.
type tally[K comparable, V any] struct {
	entries []entry[K, V]
	places  map[K]int // nil while the list is short
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// short is up to how many entries a list is searched faster than a map.
const short = 8

// find returns the value of key, nil if there is none. It is good until the next of.
func (t *tally[K, V]) find(key K) *V {
	if t.places != nil {
		if i, ok := t.places[key]; ok {
			return &t.entries[i].value
		}
		return nil
	}
	for i := range t.entries {
		if t.entries[i].key == key {
			return &t.entries[i].value
		}
	}
	return nil
}

// of returns the value of key, which is added if there is none. It is good until the
// next of.
func (t *tally[K, V]) of(key K) *V {
	if v := t.find(key); v != nil {
		return v
	}
	t.entries = append(t.entries, entry[K, V]{key: key})
	switch n := len(t.entries); {
	case t.places != nil:
		t.places[key] = n - 1
	case n > short:
		t.places = make(map[K]int, 2*n)
		for i := range t.entries {
			t.places[t.entries[i].key] = i
		}
	}
	return &t.entries[len(t.entries)-1].value
}
