// SPDX-License-Identifier: Apache-2.0

package lines

// loaded is what is kept of a unit that was asked for.
type loaded struct {
	scopes *scopes
	header *lineHeader // nil without lines
	rows   []row
	used   uint64 // when it was asked for last, in lookups
}

func (l *loaded) bytes() int {
	size := l.scopes.bytes() + len(l.rows)*rowBytes + 128
	if l.header != nil {
		size += len(l.header.dirs)*textBytes + len(l.header.files)*fileBytes
	}
	return size
}

// unitCache keeps the units used last.
type unitCache struct {
	units map[int32]*loaded
	bytes int
}

// keep adds a unit and drops those that were not used for longest.
func (k *unitCache) keep(id int32, l *loaded) {
	if k.units == nil {
		k.units = make(map[int32]*loaded)
	}
	k.bytes += l.bytes()
	for k.bytes > maxKeptUnits && len(k.units) > 0 {
		k.drop(k.oldest())
	}
	k.units[id] = l
}

func (k *unitCache) oldest() (oldest int32) {
	first := true
	for id, l := range k.units {
		if first || l.used < k.units[oldest].used {
			oldest, first = id, false
		}
	}
	return oldest
}

func (k *unitCache) drop(id int32) {
	k.bytes -= k.units[id].bytes()
	delete(k.units, id)
}

// nameCache keeps names by what refers to them, so that a name asked for often is the
// same string.
type nameCache struct {
	names map[nameKey]string
	bytes int
}

// nameKey is an entry of .debug_info, or a file of a unit.
type nameKey struct {
	entry  uint64
	file   uint32
	isFile bool
}

// get returns a name, read if it is not kept.
func (k *nameCache) get(key nameKey, read func() string) string {
	if name, ok := k.names[key]; ok {
		return name
	}
	name := read()
	cost := len(name) + 64
	if k.names == nil || k.bytes+cost > maxKeptNames {
		k.names, k.bytes = make(map[nameKey]string), 0
	}
	k.names[key] = name
	k.bytes += cost
	return name
}
