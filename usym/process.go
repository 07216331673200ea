// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/image"
)

const (
	// refreshInterval is how long a process's maps stand before an address that lies in
	// none of them has them read again, once that has been in vain a few times. Reading
	// costs about a microsecond a mapping, and stacks walked through code without frame
	// pointers are full of such addresses.
	refreshInterval = 100 * time.Millisecond
	// firstInterval is the same while reading them helps: a program that has just begun
	// maps its libraries one after the other.
	firstInterval = time.Millisecond
	// staleAfter is how long they stand at all: a library may have been unloaded and
	// another be mapped in its place.
	staleAfter = time.Second
)

// process is what is known of one process. The zero value knows nothing.
type process struct {
	// lasts says that code stays where it is: another space would name it if not.
	lasts bool
	moved bool // and yet it did not
	pid   int  // that it was last asked about by
	maps  []image.Mapping
	read  time.Time          // when maps were last read
	pause time.Duration      // until an unknown address may have them read again
	files map[fileID]fileKey // of the files that were asked for
	jit   jit
}

// fileID is a file as a process's maps name it.
type fileID struct {
	device, inode uint64
	path          string
}

func idOf(m image.Mapping) fileID { return fileID{device: m.Device, inode: m.Inode, path: m.Path} }

// locate returns the index of the mapping that address lies in. Maps that are stale,
// or do not have it and are not quite new, are read again.
func (p *process) locate(address uint64, now time.Time, read func() ([]image.Mapping, error)) (int, bool) {
	if p.read.IsZero() || !p.lasts && p.age(now) >= staleAfter {
		p.refresh(now, read)
	}
	i, ok := image.FindIndex(p.maps, address)
	if ok || p.age(now) < p.pause {
		return i, ok
	}
	p.refresh(now, read)
	if i, ok = image.FindIndex(p.maps, address); ok {
		p.pause = firstInterval
	} else {
		p.pause = min(2*p.pause, refreshInterval)
	}
	return i, ok
}

// age is how long ago the maps were read.
func (p *process) age(now time.Time) time.Duration {
	if p.read.IsZero() {
		return staleAfter
	}
	return now.Sub(p.read)
}

// refresh reads the maps anew. What was known of a process that is gone is kept.
func (p *process) refresh(now time.Time, read func() ([]image.Mapping, error)) {
	p.read, p.pause = now, max(p.pause, firstInterval)
	if maps, err := read(); err == nil && len(maps) > 0 {
		p.moved = p.moved || replaced(p.maps, maps)
		p.maps = maps
	}
}

// replaced reports whether there is other code now where there was some before, in one
// run of one program. Nothing at all does not count.
func replaced(before, now []image.Mapping) bool {
	if len(before) == 0 || len(now) == 0 || before[0].Start != now[0].Start || idOf(before[0]) != idOf(now[0]) {
		return false
	}
	return slices.ContainsFunc(before, func(b image.Mapping) bool {
		n, ok := image.Find(now, b.Start)
		return ok && b.IsFile() && b.Permissions&n.Permissions&image.Execute != 0 &&
			(idOf(b) != idOf(n) || b.FileOffset(b.Start) != n.FileOffset(b.Start))
	})
}
