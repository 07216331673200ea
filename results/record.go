// SPDX-License-Identifier: Apache-2.0

package results

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Schemas of the files.
const (
	PlanSchema   = "ebpf-rca/plan/1"
	RecordSchema = "ebpf-rca/run/1"
)

// Verdict is the outcome of one planned run under one analyser.
type Verdict string

// Verdicts that enter accuracy.
const (
	Hit           Verdict = "hit"
	Miss          Verdict = "miss"
	CorrectReject Verdict = "correct-reject"
	FalseAlarm    Verdict = "false-alarm"
)

// Verdicts that do not; each is counted and printed.
const (
	Invalid     Verdict = "invalid"     // the fault did not bite
	Unsupported Verdict = "unsupported" // a stated need is absent
	Untrusted   Verdict = "untrusted"   // events lost, or the machine too busy
	Timeout     Verdict = "timeout"
	Infra       Verdict = "infra"
	Lost        Verdict = "lost" // planned, no record
)

// Run is one entry of a plan.
type Run struct {
	Index    int                `json:"index"`
	Scenario string             `json:"scenario"`
	Variant  contention.Variant `json:"variant"`
	Seed     uint64             `json:"seed"`
	Dose     contention.Dose    `json:"dose"`
}

// Plan is written before the first run. A record's key is (index, analyser).
type Plan struct {
	Schema    string   `json:"schema"`
	RunID     string   `json:"run_id"`
	Analyzers []string `json:"analyzers"`
	Runs      []Run    `json:"runs"`
	// Part is nil unless Runs are a part of a larger plan.
	Part *Part `json:"shard,omitempty"`
}

// Record is one line of results.jsonl.
type Record struct {
	Schema string `json:"schema"`
	RunID  string `json:"run_id"`
	Run
	Analyzer string  `json:"analyzer"`
	Verdict  Verdict `json:"verdict"`
	Reason   string  `json:"reason"`
	// Dropped tells why earlier attempts at the run do not count: each found the
	// machine too busy.
	Dropped       []string             `json:"dropped_attempts,omitempty"`
	Ranks         Ranks                `json:"ranks"`
	Truth         Truth                `json:"truth"`
	Blame         Blame                `json:"blame"`
	Chain         Chain                `json:"chain"`
	Agreement     Agreement            `json:"agreement"`
	Findings      []contention.Finding `json:"findings"` // at most MaxFindings
	Totals        contention.Totals    `json:"totals"`
	Charges       []ThreadBlame        `json:"charges"` // to every thread
	DecoyFirst    bool                 `json:"decoy_first"`
	DetectedAfter time.Duration        `json:"detected_after_ns,omitempty"`
	Timing        Timing               `json:"timing_ns"`
	Loss          contention.Loss      `json:"loss"`
	Overhead      Overhead             `json:"overhead"`
	Capture       string               `json:"capture,omitempty"`
}

// MaxFindings is how many findings a record keeps.
const MaxFindings = 20

// Ranks are the places of the first true culprit, independent at each level; 0
// where it is absent.
type Ranks struct {
	Class    int `json:"class"`
	Process  int `json:"process"`
	Thread   int `json:"thread"`
	Resource int `json:"resource"`
	Frame    int `json:"frame"`
	Edge     int `json:"edge"`
}

// Truth is what the ledger says.
type Truth struct {
	Class    contention.Class `json:"class,omitempty"`
	Culprits []Culprit        `json:"culprits"`
	// Nobody says that a fault has no culprit to be named: its thread cannot be known.
	Nobody   bool                `json:"nobody,omitempty"`
	Resource contention.Resource `json:"resource"`
	// Circle lists the resources of a deadlock, each of which is as right.
	Circle []contention.Resource `json:"circle,omitempty"`
	Direct []ThreadBlame         `json:"direct_ns"`
	Root   []ThreadBlame         `json:"root_ns"`
	// Edges are those of direct blame, Ways those over which waiting came to a culprit.
	Edges  []Edge  `json:"edges"`
	Ways   []Edge  `json:"ways"`
	Decoys []Decoy `json:"decoys"`
	// WaitTime is what the threads waited by their own account. RunDelay is how long
	// they lacked a CPU in all of the run, waiting or not.
	WaitTime time.Duration `json:"wait_ns"`
	RunDelay time.Duration `json:"run_delay_ns"`
	Holds    int           `json:"holds"`
	Waits    int           `json:"waits"`
	// Switches and Operations are all threads' together.
	Switches   uint64 `json:"switches"`
	Operations uint64 `json:"operations"`
	Ledger     string `json:"ledger,omitempty"`
}

// Culprit is a thread at fault and the functions that count as right.
type Culprit struct {
	PID       int           `json:"pid"`
	TID       int           `json:"tid"`
	Start     time.Duration `json:"start_time_ns"`
	Functions []string      `json:"functions"`
}

// ThreadBlame is what one thread answers for.
type ThreadBlame struct {
	TID   int           `json:"tid"`
	Start time.Duration `json:"start_time_ns"`
	Time  time.Duration `json:"ns"`
}

// Edge says that one thread waited for another.
type Edge struct {
	Waiter int           `json:"waiter"`
	Holder int           `json:"holder"`
	Time   time.Duration `json:"ns"`
}

// Decoy is an innocent thread that was made to look guilty.
type Decoy struct {
	TID   int    `json:"tid"`
	Label string `json:"label"`
}

// Blame compares the culprits' blame as found with the truth.
type Blame struct {
	Found time.Duration `json:"found_ns"`
	True  time.Duration `json:"true_ns"`
	// Error is |Found − True| / True.
	Error float64 `json:"error"`
	// TVDistance is half the sum of the differences between the shares of blame
	// of all threads, found and true.
	TVDistance float64 `json:"tv_distance"`
}

// Chain grades the edges of the findings.
type Chain struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Agreement is how much of the waiting that the threads account for was seen. Time
// in which a thread only lacked a CPU is in neither.
type Agreement struct {
	Ledger  time.Duration `json:"ledger_ns"`
	Seen    time.Duration `json:"seen_ns"`
	Threads int           `json:"threads"`
}

// Timing is where the time of a run went.
type Timing struct {
	Setup   time.Duration `json:"setup"`
	Capture time.Duration `json:"capture"`
	Analyse time.Duration `json:"analyse"`
}

// Overhead is what observing cost in one run, from the kernel's own account of
// its BPF programs. A zero value was not measured.
type Overhead struct {
	// NsPerEvent is the mean run time of each program, by its name.
	NsPerEvent map[string]float64 `json:"ns_per_event,omitempty"`
	Events     uint64             `json:"events,omitempty"`
	// CPUShare is the time in those programs as a share of one CPU.
	CPUShare float64 `json:"cpu_share,omitempty"`
	// Ratio is work done unobserved over work done observed, less nothing: 1 is
	// free. CI is its 95 % bootstrap interval.
	Ratio float64    `json:"ratio,omitempty"`
	CI    [2]float64 `json:"ci,omitzero"`
	Pairs int        `json:"pairs,omitempty"`
}
