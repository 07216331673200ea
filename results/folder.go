// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrSchema says that a file was written by a version that this one cannot read.
var ErrSchema = errors.New("unknown schema")

// Limits on what is read, far above what is ever written.
const (
	maxPlan = 256 << 20
	maxLine = 64 << 20
)

// Folder is a result folder as read.
type Folder struct {
	Dir  string
	Plan Plan
	Env  Env
	// Records holds one record for each planned run and analyser, in the order of
	// the plan; one that is not on disk is Lost.
	Records []Record
	// Incomplete says that some were not on disk: the plan was interrupted, is
	// still being carried out, or crashed.
	Incomplete bool
	// Warnings are what was odd about the files.
	Warnings []string
	// Doubts are what does not hold of the records when they are graded again.
	Doubts []string

	// whole is the length of results.jsonl up to its last whole line.
	whole int64
}

// Open reads a result folder. Only a plan that is absent, unreadable or of another
// schema, or a record of another schema, is an error; what else is missing or
// damaged costs its records and is told in Warnings.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := f.readPlan(); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if err := f.readEnv(); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if err := f.readRecords(); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	f.warnOfShards()
	return f, nil
}

func (f *Folder) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

func (f *Folder) readPlan() error {
	file, err := os.Open(filepath.Join(f.Dir, PlanFile))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("not a result folder: %w", err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	f.Plan, err = ReadPlan(file)
	return err
}

func (f *Folder) readEnv() error {
	data, err := os.ReadFile(filepath.Join(f.Dir, EnvFile))
	if err != nil {
		f.warn("environment unknown: %v", err)
		return nil
	}
	env, err := DecodeEnv(bytes.NewReader(data))
	if errors.Is(err, ErrSchema) {
		return err
	}
	if err != nil {
		f.warn("environment unknown: %v", err)
		return nil
	}
	f.Env = env
	return nil
}

func (f *Folder) readRecords() error {
	file, err := os.Open(filepath.Join(f.Dir, RecordsFile))
	if err != nil {
		f.warn("no records: %v", err)
		f.match(nil)
		return nil
	}
	defer file.Close()
	read, err := ReadRecords(file)
	if err != nil {
		return err
	}
	f.Warnings = append(f.Warnings, read.Warnings...)
	f.whole = read.Whole
	f.match(read.Records)
	return nil
}

// recordKey is what a plan has one record for.
type recordKey struct {
	index    int
	analyzer string
}

// match puts the records beside the plan. Of two with one key the later counts.
func (f *Folder) match(records []Record) {
	byKey := map[recordKey]Record{}
	planned := f.planned()
	for _, r := range records {
		key := recordKey{r.Index, r.Analyzer}
		if why := f.unfit(r, planned); why != "" {
			f.warn("record of run %d, %s, is left out: %s", r.Index, r.Analyzer, why)
			continue
		}
		if earlier, twice := byKey[key]; twice {
			f.warn("run %d, %s, is recorded more than once: the last counts, earlier it was %s", r.Index, r.Analyzer, earlier.Verdict)
		}
		byKey[key] = r
	}
	for _, run := range f.Plan.Runs {
		for _, analyzer := range f.Plan.Analyzers {
			r, ok := byKey[recordKey{run.Index, analyzer}]
			if !ok {
				r = f.lost(run, analyzer)
				f.Incomplete = true
			}
			f.Records = append(f.Records, r)
		}
	}
}

func (f *Folder) planned() map[recordKey]Run {
	planned := map[recordKey]Run{}
	for _, run := range f.Plan.Runs {
		for _, analyzer := range f.Plan.Analyzers {
			planned[recordKey{run.Index, analyzer}] = run
		}
	}
	return planned
}

// unfit says why a record does not belong to the plan, empty if it does.
func (f *Folder) unfit(r Record, planned map[recordKey]Run) string {
	run, ok := planned[recordKey{r.Index, r.Analyzer}]
	switch {
	case !ok:
		return "it is not planned"
	case r.RunID != f.Plan.RunID:
		return fmt.Sprintf("it is of run %s", r.RunID)
	case r.Run != run:
		return fmt.Sprintf("it is of %s, %s, seed %d, and planned was %s, %s, seed %d",
			r.Scenario, r.Variant, r.Seed, run.Scenario, run.Variant, run.Seed)
	default:
		return ""
	}
}

func (f *Folder) lost(run Run, analyzer string) Record {
	return Record{
		Schema:   RecordSchema,
		RunID:    f.Plan.RunID,
		Run:      run,
		Analyzer: analyzer,
		Verdict:  Lost,
		Reason:   "planned, and left no record",
	}
}

// Regrade recomputes verdicts, ranks and the rest from the stored findings and truth.
// It needs to know of each scenario whether its culprits are ordered. What changes is
// told in Doubts.
func (f *Folder) Regrade(ordered func(scenario string) bool) {
	for i, old := range f.Records {
		r := Regrade(old, ordered(old.Scenario))
		f.Doubts = append(f.Doubts, changes(old, r)...)
		f.Records[i] = r
	}
}

// ReadPlan reads a plan.json.
func ReadPlan(r io.Reader) (Plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPlan+1))
	if err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	if len(data) > maxPlan {
		return Plan{}, fmt.Errorf("read plan: more than %d bytes", maxPlan)
	}
	if err := checkSchema(data, PlanSchema); err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	var plan Plan
	if err := json.Unmarshal(data, &plan); err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	if err := plan.check(); err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	return plan, nil
}

// check makes sure that keys are unique.
func (p Plan) check() error {
	if twice := repeated(p.Analyzers); twice != "" {
		return fmt.Errorf("analyzer %s is named twice", twice)
	}
	seen := make(map[int]bool, len(p.Runs))
	for _, r := range p.Whole().Runs {
		if seen[r.Index] {
			return fmt.Errorf("index %d is planned twice", r.Index)
		}
		seen[r.Index] = true
	}
	return p.checkPart()
}

// RecordsRead is what a results.jsonl holds.
type RecordsRead struct {
	// Records are in the order of their lines.
	Records  []Record
	Warnings []string
	// Whole is the length up to the last whole line.
	Whole int64
}

// ReadRecords reads a results.jsonl. The end of its line makes a record whole: a
// last line without one was torn and is left out, and so is a line that is not a
// record. A record of another schema is an error.
func ReadRecords(r io.Reader) (RecordsRead, error) {
	var read RecordsRead
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				read.Warnings = append(read.Warnings, fmt.Sprintf("line %d is torn: its record is lost", number))
			}
			return read, nil
		}
		if err != nil {
			return RecordsRead{}, fmt.Errorf("read records, line %d: %w", number, err)
		}
		read.Whole += int64(len(line))
		record, err := decodeRecord(line)
		switch {
		case errors.Is(err, ErrSchema):
			return RecordsRead{}, fmt.Errorf("read records, line %d: %w", number, err)
		case err != nil:
			read.Warnings = append(read.Warnings, fmt.Sprintf("line %d is damaged: its record is lost: %v", number, err))
		default:
			read.Records = append(read.Records, record)
		}
	}
}

// readLine returns one line with its end. At the end of input it returns io.EOF
// with whatever had no end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("more than %d bytes", maxLine)
		}
	}
}

func decodeRecord(line []byte) (Record, error) {
	if err := checkSchema(line, RecordSchema); err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return Record{}, err
	}
	return r, nil
}

// checkSchema looks at the schema alone, so that an unknown one is reported as such
// whatever else is in the document.
func checkSchema(data []byte, want string) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	if head.Schema != want {
		return fmt.Errorf("%w %q: this version reads %q", ErrSchema, head.Schema, want)
	}
	return nil
}
