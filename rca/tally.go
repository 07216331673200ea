// SPDX-License-Identifier: Apache-2.0

package rca

// tally is a map that is small most of the time: it is a list, searched through, and
// has a map beside it only when it grows. Its entries are in the order in which they
// were added.
type tally[K comparable, V any] struct {
	entries []entry[K, V]
	places  map[K]int32 // nil while the list is short
	next    int         // the entry after the one found last
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// short is up to how many entries a list is searched faster than a map.
const short = 8

// find returns the value of key, nil if there is none. It is good until the next of.
// Keys looked up in the order of the entries are found at once.
func (t *tally[K, V]) find(key K) *V {
	if t.next < len(t.entries) && t.entries[t.next].key == key {
		t.next++
		return &t.entries[t.next-1].value
	}
	return t.search(key)
}

func (t *tally[K, V]) search(key K) *V {
	if t.places != nil {
		i, ok := t.places[key]
		if !ok {
			return nil
		}
		t.next = int(i) + 1
		return &t.entries[i].value
	}
	for i := range t.entries {
		if t.entries[i].key == key {
			t.next = i + 1
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
		t.places[key] = int32(n - 1)
	case n > short:
		t.places = make(map[K]int32, 2*n)
		for i := range t.entries {
			t.places[t.entries[i].key] = int32(i)
		}
	}
	return &t.entries[len(t.entries)-1].value
}

// clear takes all entries out.
func (t *tally[K, V]) clear() { t.entries, t.places = t.entries[:0], nil }
