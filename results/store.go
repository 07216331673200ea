// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/os2026/ebpf-rca/contention"
)

// Names of the files that everything else in a folder can be made from.
const (
	PlanFile    = "plan.json"
	EnvFile     = "env.json"
	RecordsFile = "results.jsonl"
)

// ErrExists says that a folder already holds a run.
var ErrExists = errors.New("folder already holds a run")

// StoreOptions are the choices left for a new folder.
type StoreOptions struct {
	// Owner is given every file and folder that is made.
	Owner *Owner
}

// Store is a result folder that is being written. Append may be called by several
// goroutines.
type Store struct {
	dir   string
	plan  Plan
	owner *Owner

	mu   sync.Mutex
	file *os.File
	// size is how much of the file is whole records; what a write left beyond it
	// is cut off.
	size int64
	// broken is why no more can be appended.
	broken error
}

// Create makes a result folder with its plan and environment. The plan comes last
// and at once, so that a folder without one never held a run; if Create fails it
// takes away what it wrote.
func Create(dir string, plan Plan, env Env, o StoreOptions) (*Store, error) {
	if plan.Schema != PlanSchema {
		return nil, fmt.Errorf("create %s: plan of schema %q: want %q", dir, plan.Schema, PlanSchema)
	}
	if err := o.Owner.mkdirAll(dir); err != nil {
		return nil, fmt.Errorf("create result folder: %w", err)
	}
	for _, name := range []string{PlanFile, RecordsFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, fmt.Errorf("create %s: %w", dir, ErrExists)
		}
	}
	s := &Store{dir: dir, plan: plan, owner: o.Owner}
	if err := s.begin(env); err != nil {
		s.Discard()
		return nil, fmt.Errorf("create %s: %w", dir, err)
	}
	return s, nil
}

// Discard takes away what Create wrote. It is for folders without a record.
func (s *Store) Discard() {
	_ = s.Close()
	s.remove(PlanFile, EnvFile, RecordsFile)
}

func (s *Store) begin(env Env) error {
	if err := s.PutEnv(env); err != nil {
		return err
	}
	file, err := os.OpenFile(s.path(RecordsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	s.file = file
	if err := s.owner.give(file); err != nil {
		return err
	}
	return s.putJSON(PlanFile, s.plan)
}

// PutEnv replaces the environment by what has become known of it.
func (s *Store) PutEnv(env Env) error {
	env.Schema = EnvSchema
	return s.putJSON(EnvFile, env)
}

func (s *Store) putJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return s.PutFile(name, append(data, '\n'))
}

func (s *Store) remove(names ...string) {
	for _, name := range names {
		_ = os.Remove(s.path(name))
	}
	_ = os.Remove(s.dir) // only if it is empty
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// Resume opens an interrupted folder to append what is missing, and returns what it
// holds so far. A torn last line is cut off.
func Resume(dir string, o StoreOptions) (*Store, *Folder, error) {
	folder, err := Open(dir)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, RecordsFile), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("resume: %w", err)
	}
	s := &Store{dir: dir, plan: folder.Plan, owner: o.Owner, file: file, size: folder.whole}
	if err := errors.Join(s.owner.give(file), s.cut()); err != nil {
		_ = s.Close()
		return nil, nil, fmt.Errorf("resume %s: %w", dir, err)
	}
	return s, folder, nil
}

// Dir is where the folder is.
func (s *Store) Dir() string { return s.dir }

// Plan is what was planned.
func (s *Store) Plan() Plan { return s.plan }

// PutFile writes a file of the folder as the function PutFile does.
func (s *Store) PutFile(name string, data []byte) error {
	return PutFile(s.dir, name, data, s.owner)
}

// Append adds one record and returns once it is on disk. Schema and run id are set
// to those of the folder. If the disk takes only part of it, that part is cut off
// again and the run stays without a record.
func (s *Store) Append(r Record) error {
	line, err := encode(r, s.plan.RunID)
	if err != nil {
		return fmt.Errorf("record of run %d, %s: %w", r.Index, r.Analyzer, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.append(line); err != nil {
		return fmt.Errorf("store record of run %d, %s: %w", r.Index, r.Analyzer, err)
	}
	return nil
}

func (s *Store) append(line []byte) error {
	switch {
	case s.broken != nil:
		return fmt.Errorf("an earlier record could not be taken back: %w", s.broken)
	case s.file == nil:
		return os.ErrClosed
	}
	_, err := s.file.WriteAt(line, s.size)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		s.broken = s.cut()
		return err
	}
	s.size += int64(len(line))
	return nil
}

// cut takes off what lies beyond the last whole record.
func (s *Store) cut() error { return s.file.Truncate(s.size) }

// Close ends the writing. It may be called twice.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.path(RecordsFile), err)
	}
	return nil
}

// encode renders one line. Lists are never null: what is unknown is absent.
func encode(r Record, runID string) ([]byte, error) {
	r.Schema, r.RunID = RecordSchema, runID
	r.Findings = append([]contention.Finding{}, kept(r.Findings)...)
	r.Truth.Culprits = notNil(r.Truth.Culprits)
	r.Truth.Direct = notNil(r.Truth.Direct)
	r.Truth.Root = notNil(r.Truth.Root)
	r.Truth.Edges = notNil(r.Truth.Edges)
	r.Truth.Ways = notNil(r.Truth.Ways)
	r.Truth.Decoys = notNil(r.Truth.Decoys)
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
