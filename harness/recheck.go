// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// Recheck computes the truth and the validity of the runs of a folder again, from the
// ledgers that lie in it, and puts them in the place of those recorded, for the records to
// be graded again. Where a record says something else, or may not say what it says, the
// folder's Doubts tell so. A run that its ledger keeps out of accuracy is left out of it;
// one that was kept out without a reason stays so, because the analysis was not asked.
func Recheck(f *results.Folder, list []scenarios.Scenario) {
	r := &recheck{folder: f, scenarios: map[string]scenarios.Scenario{}, ledgers: map[string]*reading{}, twins: map[twinKey]*reading{}}
	for _, s := range list {
		r.scenarios[s.Name] = s
	}
	for i := range f.Records {
		r.read(&f.Records[i])
	}
	for i := range f.Records {
		r.check(&f.Records[i])
	}
	if r.missing > 0 {
		r.doubtf("the ledgers of %d of %d records are not there: their truth cannot be computed again", r.missing, len(f.Records))
	}
}

// recheck is the state of a Recheck.
type recheck struct {
	folder    *results.Folder
	scenarios map[string]scenarios.Scenario
	ledgers   map[string]*reading // by name; nil if it is not there, or damaged
	twins     map[twinKey]*reading
	missing   int
}

// twinKey finds the twin of a fault that was played under the same observer.
type twinKey struct {
	pair
	observer string
}

func twinOf(r *results.Record) twinKey {
	return twinKey{pairOf(r.Run), observerOf(r.Analyzer)}
}

// observerOf names who watched for an analyser: a peer itself, and otherwise the collector.
func observerOf(analyzer string) string {
	if results.IsPeer(analyzer) {
		return analyzer
	}
	return ""
}

func (r *recheck) doubtf(format string, args ...any) {
	r.folder.Doubts = append(r.folder.Doubts, fmt.Sprintf(format, args...))
}

// doubt tells of one record.
func (r *recheck) doubt(record *results.Record, format string, args ...any) {
	r.doubtf("%s: %s", record.Label(), fmt.Sprintf(format, args...))
}

// read reads the ledger of a record, once, and notes it if it is that of a twin that can
// be believed.
func (r *recheck) read(record *results.Record) {
	name := record.Truth.Ledger
	if record.Verdict == results.Lost || name == "" {
		return
	}
	got, known := r.ledgers[name]
	if !known {
		var err error
		got, err = r.readLedger(record)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.doubt(record, "%v", err)
		}
		r.ledgers[name] = got
	}
	if got != nil && record.Variant == contention.TwinVariant && got.alone.valid() && record.Verdict != results.Untrusted {
		r.twins[twinOf(record)] = got
	}
}

func (r *recheck) readLedger(record *results.Record) (*reading, error) {
	data, err := results.ReadFile(r.folder.Dir, record.Truth.Ledger)
	if err != nil {
		return nil, err
	}
	sc, known := r.scenarios[record.Scenario]
	if !known {
		return nil, errors.New("the catalogue has no such scenario any more: its truth cannot be computed again")
	}
	return readingOf(data, sc, record.Run)
}

// check holds one record against its ledger.
func (r *recheck) check(record *results.Record) {
	r.checkSupport(record)
	if record.Truth.Ledger == "" {
		if record.Verdict.Valid() {
			r.missing++
		}
		return
	}
	got := r.ledgers[record.Truth.Ledger]
	if got == nil {
		r.missing++
		return
	}
	sc := r.scenarios[record.Scenario]
	r.checkTruth(record, got)
	r.checkVerdict(record, got, sc)
}

// checkSupport refuses that a scenario was not tried on a kernel that it names.
func (r *recheck) checkSupport(record *results.Record) {
	sc, known := r.scenarios[record.Scenario]
	if record.Verdict != results.Unsupported || !known || observerOf(record.Analyzer) != "" {
		return
	}
	env := r.folder.Env
	if sc.Needs.CPUQuota { // whether there were control groups is not known any more
		return
	}
	if (machine{kernel: env.KernelRelease, cpus: env.CPUs}).supports(sc.Needs).valid() {
		r.doubt(record, "recorded as unsupported (%s), but kernel %s and %d CPUs are what it needs", record.Reason, env.KernelRelease, env.CPUs)
	}
}

// checkTruth puts the truth of the ledger in the place of the recorded one.
func (r *recheck) checkTruth(record *results.Record, got *reading) {
	truth := got.truth
	truth.Ledger = record.Truth.Ledger
	if said, is := culpritList(record.Truth), culpritList(truth); said != is {
		r.doubt(record, "recorded with %s as the culprit, by its ledger it is %s", said, is)
	}
	if fields := differingTruth(record.Truth, truth); fields != "" {
		r.doubt(record, "its record and its ledger differ in %s", fields)
	}
	if twin := r.twins[twinOf(record)]; record.Variant == contention.FaultVariant && twin != nil && !slices.Equal(got.marked, twin.marked) {
		r.doubt(record, "its ledger marks other threads as culprits (%v) than its twin's (%v)", got.marked, twin.marked)
	}
	record.Truth = truth
}

// checkVerdict holds the recorded verdict against what the ledger says of the run.
func (r *recheck) checkVerdict(record *results.Record, got *reading, sc scenarios.Scenario) {
	ruling := r.rule(record, got, sc)
	switch {
	case record.Verdict.Valid() && !ruling.valid():
		r.doubt(record, "recorded as %s, but by its ledger it is %s: %s", record.Verdict, ruling.verdict, ruling.reason)
		record.Verdict, record.Reason = ruling.verdict, ruling.reason
	case !record.Verdict.Valid() && ruling.valid() && !mayBe(record, got):
		r.doubt(record, "recorded as %s (%s), but nothing in its ledger speaks against the run", record.Verdict, record.Reason)
	}
}

func (r *recheck) rule(record *results.Record, got *reading, sc scenarios.Scenario) ruling {
	if !got.alone.valid() || record.Variant != contention.FaultVariant {
		return got.alone
	}
	floor, twin := floorAt(sc, record.Dose), r.twins[twinOf(record)]
	if twin == nil {
		return bit(floor, got.bite, nil)
	}
	return first(bit(floor, got.bite, &twin.bite), likeTwin(got.bite, twin.bite))
}

// mayBe reports whether a verdict that keeps a run out may be for a reason that is not in
// the ledger: events lost, or an analysis that does not add up, of which the record tells,
// or other programs on the CPUs, for which some thread must have lacked one.
func mayBe(record *results.Record, got *reading) bool {
	switch record.Verdict {
	case results.Untrusted:
		return record.Loss.Events() > 0 || record.Loss.Detached > 0 || got.delayed
	case results.Infra:
		return !addsUp(contention.Analysis{Totals: record.Totals, Charges: chargesOf(record.Charges)}).valid()
	default:
		return false
	}
}

func chargesOf(list []results.ThreadBlame) []contention.Charge {
	charges := make([]contention.Charge, len(list))
	for i, b := range list {
		charges[i].Blame = b.Time
	}
	return charges
}

// foreignBound is from which share of the window on a thread without a CPU may be why a
// run is not trusted.
const foreignBound = min(MaxForeignOccupation, MaxForeignDelay)

func delayedIn(window contention.Window, delay time.Duration) bool {
	return float64(delay) > foreignBound*float64(window.Length())
}
