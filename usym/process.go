// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"time"

	"github.com/os2026/ebpf-rca/image"
)

// refreshInterval is how long a process's maps stand before an address that lies in
// none of them has them read again. Reading costs about a microsecond a mapping, and
// stacks walked through code without frame pointers are full of such addresses.
const refreshInterval = 100 * time.Millisecond

// process is what is known of one process. The zero value knows nothing.
type process struct {
	maps   []image.Mapping
	read   time.Time // when maps were last read
	tables map[fileID]*table
}

// fileID is a file as a process's maps name it.
type fileID struct {
	device, inode uint64
	path          string
}

// refresh reads the maps anew unless that was done a moment ago, and reports whether
// there are new ones. What was known of a process that is gone is kept.
func (p *process) refresh(now time.Time, read func() ([]image.Mapping, error)) bool {
	if !p.read.IsZero() && now.Sub(p.read) < refreshInterval {
		return false
	}
	p.read = now
	maps, err := read()
	if err != nil || len(maps) == 0 {
		return false
	}
	p.maps = maps
	return true
}

// table returns the symbols of the file that m shows, from load the first time.
func (p *process) table(m image.Mapping, load func() *table) *table {
	id := fileID{device: m.Device, inode: m.Inode, path: m.Path}
	t, ok := p.tables[id]
	if !ok {
		t = load()
		if p.tables == nil {
			p.tables = make(map[fileID]*table)
		}
		p.tables[id] = t
	}
	return t
}
