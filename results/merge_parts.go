// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrPlans says that folders do not belong together: they are not parts of one plan.
var ErrPlans = errors.New("not parts of one plan")

// ErrTwice says that a part was played twice. Which of the two counts would be anybody's
// choice, and so their figures too.
var ErrTwice = errors.New("a part was played twice")

// partsOf returns one folder a part, in the order of the parts.
func partsOf(folders []*Folder) ([]*Folder, error) {
	if len(folders) == 0 {
		return nil, errors.New("no folders")
	}
	var parts []*Folder
	for _, f := range folders {
		if err := sameCut(folders[0], f); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(parts, func(p *Folder) bool { return p.shard() == f.shard() })
		if i < 0 {
			parts = append(parts, f)
			continue
		}
		var err error
		if parts[i], err = further(parts[i], f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(parts, func(a, b *Folder) int { return cmp.Compare(a.shard().Number, b.shard().Number) })
	return parts, nil
}

// shard is the part of a folder; that of a whole plan is all of it.
func (f *Folder) shard() Shard {
	if f.Plan.Part == nil {
		return Shard{Number: 1, Of: 1}
	}
	return f.Plan.Part.Shard
}

func sameCut(a, b *Folder) error {
	if a.Plan.ID() != b.Plan.ID() {
		return fmt.Errorf("%s and %s: %w: %s against %s", a.Dir, b.Dir, ErrPlans, outline(a.Plan), outline(b.Plan))
	}
	if a.shard().Of != b.shard().Of {
		return fmt.Errorf("%s and %s: %w as it was cut: shard %v against %v", a.Dir, b.Dir, ErrPlans, a.shard(), b.shard())
	}
	return nil
}

// outline tells plans apart for a person.
func outline(p Plan) string {
	whole := p.Whole()
	seeds := map[uint64]bool{}
	for _, r := range whole.Runs {
		seeds[r.Seed] = true
	}
	return fmt.Sprintf("plan %.12s of %d runs, %d scenarios, %d seeds, analysers %v",
		p.ID(), len(whole.Runs), len(whole.Scenarios()), len(seeds), p.Analyzers)
}

// further returns which of two copies of a folder has all that the other has.
func further(a, b *Folder) (*Folder, error) {
	linesA, err := a.lines()
	if err != nil {
		return nil, err
	}
	linesB, err := b.lines()
	if err != nil {
		return nil, err
	}
	switch {
	case a.Plan.RunID != b.Plan.RunID:
		return nil, fmt.Errorf("shard %v: %w: %s is run %s, %s is run %s; leave one out",
			a.shard(), ErrTwice, a.Dir, a.Plan.RunID, b.Dir, b.Plan.RunID)
	case bytes.HasPrefix(linesA, linesB):
		return a, nil
	case bytes.HasPrefix(linesB, linesA):
		return b, nil
	default:
		return nil, fmt.Errorf("shard %v: %w: %s and %s went on differently from one beginning; leave one out",
			a.shard(), ErrTwice, a.Dir, b.Dir)
	}
}

// lines are the whole lines of the records.
func (f *Folder) lines() ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(f.Dir, RecordsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return data[:min(int64(len(data)), f.whole)], nil
}
