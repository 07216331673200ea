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

// attachments are the folders within a result folder whose files are carried along.
var attachments = []string{"ledgers", "captures"}

// Merge joins folders, each with a part of one plan, into a new one with all of it. Runs
// of parts that are not given stay without a record and so are lost. Of a part given
// twice as copies of one folder, of which one may have got further, the one that got
// further counts. The records before the last of a run that was played again are kept.
//
// The new folder is named after the part that began first. Its environment is what all
// parts have in common, and lists that of each part.
func Merge(dir string, folders []*Folder, o StoreOptions) error {
	parts, err := partsOf(folders)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("merge into %s: the folder is not empty: %w", dir, fs.ErrExist)
	}
	plan := parts[0].Plan.Whole()
	plan.RunID = slices.MinFunc(parts, func(a, b *Folder) int { return cmp.Compare(a.Plan.RunID, b.Plan.RunID) }).Plan.RunID
	store, err := Create(dir, plan, commonEnv(parts), o)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	for _, part := range parts {
		if err := store.take(part); err != nil {
			// All that is in the folder was put there above.
			return fmt.Errorf("merge %s: %w", part.Dir, errors.Join(err, store.Close(), os.RemoveAll(dir)))
		}
	}
	return store.Close()
}

// take copies into s what a part has: its records, with the run id of s, and its files.
func (s *Store) take(part *Folder) error {
	lines, err := part.lines()
	if err != nil {
		return err
	}
	read, err := ReadRecords(bytes.NewReader(lines))
	if err != nil {
		return err
	}
	planned := part.planned()
	var all []byte
	for _, r := range read.Records {
		if part.unfit(r, planned) != "" {
			continue
		}
		line, err := encode(r, s.plan.RunID)
		if err != nil {
			return fmt.Errorf("record of run %d, %s: %w", r.Index, r.Analyzer, err)
		}
		all = append(all, line...)
	}
	s.mu.Lock()
	err = s.append(all)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("store records: %w", err)
	}
	for _, name := range attachments {
		if err := s.takeFiles(part.Dir, name); err != nil {
			return err
		}
	}
	return s.takeOverhead(part.Dir)
}

// takeFiles copies the files of a subfolder as they are.
func (s *Store) takeFiles(from, sub string) error {
	entries, err := os.ReadDir(filepath.Join(from, sub))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.owner.mkdirAll(s.path(sub)); err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if err := s.takeFile(from, filepath.Join(sub, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// takeFile copies one file. It is not synced: there is another.
func (s *Store) takeFile(from, name string) error {
	data, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(s.path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is in another part too", name)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, s.owner.give(file), file.Close())
}

// takeOverhead adds the lines of a part to those that are there.
func (s *Store) takeOverhead(from string) error {
	lines, err := os.ReadFile(filepath.Join(from, OverheadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, err := os.ReadFile(s.path(OverheadFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.PutFile(OverheadFile, append(before, lines...))
}
