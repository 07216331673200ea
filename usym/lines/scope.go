// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"debug/dwarf"
	"errors"
)

var errEntries = errors.New("entries that make no sense")

// scope is a function, or one that is inlined in another.
type scope struct {
	entry  uint32 // offset in the unit
	caller int32  // the scope that it is inlined in; nobody for a function of its own
	depth  uint8  // how many calls it is inlined in
	// Where it is called, if it is inlined.
	file, line uint32
}

const scopeBytes = 20

// scopes are the functions of a unit.
type scopes struct {
	list     []scope
	segments []segment // the innermost scope by address
}

func (s *scopes) bytes() int { return len(s.list)*scopeBytes + len(s.segments)*segmentBytes }

// scopeReader walks the entries of a unit in the order they stand in.
type scopeReader struct {
	table   *Table
	unit    *unit
	abbrevs *abbrevs
	c       cursor
	open    []int32 // the scope that surrounds the entries at each depth
	list    []scope
	spans   []span
}

// readScopes finds the functions of a unit.
func (t *Table) readScopes(u *unit) (*scopes, []span, error) {
	table := t.abbrevs.get(u.abbrevs, u.encoding)
	if table == nil {
		return nil, nil, errEntries
	}
	if u.end-u.root > maxUnitSize {
		return nil, nil, ErrTooLarge
	}
	data, err := t.info.take(u.root, u.end-u.root)
	if err != nil {
		return nil, nil, err
	}
	r := &scopeReader{table: t, unit: u, abbrevs: table, c: cursor{data: data, big: t.big}}
	if err := r.walk(); err != nil {
		return nil, nil, err
	}
	return &scopes{list: r.list, segments: flatten(r.spans)}, r.spans, nil
}

func (r *scopeReader) walk() error {
	around := nobody
	for !r.c.atEnd() {
		at := r.c.pos
		code := r.c.uleb()
		if code == 0 {
			if len(r.open) == 0 {
				break
			}
			around = r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			if len(r.open) == 0 {
				break // of the first entry: what follows is padding
			}
			continue
		}
		a := r.abbrevs.get(code)
		if a == nil {
			return errEntries
		}
		if !r.table.work.spend(1 + int(a.count)) {
			return errSpent
		}
		inner, err := r.entry(a, at, around)
		if err != nil {
			return err
		}
		if a.children {
			if len(r.open) >= maxNesting {
				return ErrTooLarge
			}
			r.open = append(r.open, around)
			around = inner
		} else if len(r.open) == 0 {
			break
		}
	}
	if r.c.bad {
		return errEntries
	}
	return nil
}

// entry decodes the attributes of an entry that stands in the scope around, and returns
// the scope that what it contains stands in.
func (r *scopeReader) entry(a *abbrev, at int, around int32) (int32, error) {
	switch {
	case a.tag == dwarf.TagSubprogram:
		e, _ := r.attributes(a)
		return r.function(scope{entry: r.offset(at), caller: nobody}, e)
	case a.tag == dwarf.TagInlinedSubroutine && around != nobody:
		e, s := r.attributes(a)
		s.entry, s.caller = r.offset(at), around
		return r.inlined(s, e)
	case a.size >= 0:
		r.c.skip(uint64(a.size))
	default:
		r.skip(a)
	}
	return around, nil
}

func (r *scopeReader) offset(at int) uint32 { return uint32(r.unit.root-r.unit.start) + uint32(at) }

func (r *scopeReader) skip(a *abbrev) {
	for _, attr := range r.abbrevs.of(a) {
		if attr.form != formImplicitConst {
			r.c.value(attr.form, r.unit.encoding)
		}
	}
}

// attributes decodes those that say where a scope is and where it is called.
func (r *scopeReader) attributes(a *abbrev) (e extent, s scope) {
	for _, attr := range r.abbrevs.of(a) {
		v := attr.value(&r.c, r.unit.encoding)
		switch attr.name {
		case dwarf.AttrLowpc:
			e.low = v
		case dwarf.AttrHighpc:
			e.high = v
		case dwarf.AttrRanges:
			e.ranges = v
		case dwarf.AttrCallFile:
			s.file = uint32(min(v.number, maxFiles))
		case dwarf.AttrCallLine:
			s.line = uint32(min(v.number, 1<<31-1))
		}
	}
	return e, s
}

// function adds a function if it has code: a declaration has none.
func (r *scopeReader) function(s scope, e extent) (int32, error) {
	id, before := int32(len(r.list)), len(r.spans)
	if err := r.extent(id, e); err != nil {
		return nobody, err
	}
	if len(r.spans) == before {
		return nobody, nil
	}
	r.list = append(r.list, s)
	return id, nil
}

// inlined adds an inlined function, also if it has no code of its own: what is inlined
// in it may have.
func (r *scopeReader) inlined(s scope, e extent) (int32, error) {
	depth := r.list[s.caller].depth
	if depth == maxInlined {
		return s.caller, nil
	}
	s.depth = depth + 1
	id := int32(len(r.list))
	if err := r.extent(id, e); err != nil {
		return nobody, err
	}
	r.list = append(r.list, s)
	return id, nil
}

func (r *scopeReader) extent(id int32, e extent) error {
	r.table.spans(r.unit, e, func(low, high uint64) bool {
		r.spans = append(r.spans, span{low, high, id})
		return len(r.spans) <= maxSpans
	})
	if len(r.spans) > maxSpans || id >= maxScopes {
		return ErrTooLarge
	}
	return nil
}
