// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
)

// traceEvent is an event of the JSON trace format that ui.perfetto.dev opens. A track is
// a tid within a pid; on one track slices nest or stand apart.
type traceEvent struct {
	Phase string `json:"ph"` // X: a slice; M: metadata
	Name  string `json:"name"`
	PID   int    `json:"pid"`
	TID   int    `json:"tid"`
	// Begin is since the window began; microseconds, as Length.
	Begin    float64        `json:"ts"`
	Length   float64        `json:"dur"`
	Category string         `json:"cat,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// WriteTrace renders a run as a trace for ui.perfetto.dev: on the tracks of each thread
// what it waited for, held and worked on by its ledger, and on a track for each what the
// analyser of the record found.
func WriteTrace(w io.Writer, l *ledger.Ledger, r results.Record) error {
	t := tracer{window: l.Window(), names: namesOf([]results.Record{r})}
	for _, thread := range l.Threads {
		t.next = max(t.next, thread.TID+1, thread.PID+1)
	}
	for _, thread := range byTID(l.Threads) {
		t.thread(thread, l.Resources, onThread(r.Truth, thread.Thread))
	}
	t.findings(r)
	if err := t.write(w); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// tracer collects the events of a trace.
type tracer struct {
	window contention.Window
	names  names
	events []traceEvent
	// next is an id that no process or thread has.
	next int
}

func (t *tracer) fresh() int {
	t.next++
	return t.next - 1
}

// track names a track and places it below those named before.
func (t *tracer) track(pid, tid int, name string) {
	t.events = append(t.events,
		traceEvent{Phase: "M", Name: "thread_name", PID: pid, TID: tid, Args: map[string]any{"name": name}},
		traceEvent{Phase: "M", Name: "thread_sort_index", PID: pid, TID: tid, Args: map[string]any{"sort_index": len(t.events)}},
	)
}

func (t *tracer) slice(pid, tid int, s span, category, name string, args map[string]any) {
	t.events = append(t.events, traceEvent{
		Phase: "X", Name: name, PID: pid, TID: tid, Category: category, Args: args,
		Begin:  micros(s.Begin - t.window.Begin),
		Length: micros(s.Length()),
	})
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// span is the part of an entry that lies in the window.
type span struct {
	contention.Window
	entry ledger.Entry
}

// thread draws the entries of a thread. Locks may be let go in any order, and then what
// was held does not nest: it goes to a further track.
func (t *tracer) thread(thread ledger.Thread, resources []ledger.Resource, v verdictOnThread) {
	name := t.names.label(thread.TID)
	switch {
	case v.Culprit:
		name += " (culprit)"
	case v.Decoy != "":
		name += " (decoy: " + v.Decoy + ")"
	}
	for i, spans := range nested(t.spans(thread)) {
		tid := thread.TID
		if i > 0 {
			tid, name = t.fresh(), fmt.Sprintf("%s, %d", t.names.label(thread.TID), i+1)
		}
		t.track(thread.PID, tid, name)
		for _, s := range spans {
			what := fmt.Sprintf("%v %s", s.entry.Kind, resourceText(resources[s.entry.Resource].Resource))
			t.slice(thread.PID, tid, s, s.entry.Kind.String(), what, nil)
		}
	}
}

// spans are the entries in the window, by begin; of those that begin at once the longer
// stands first.
func (t *tracer) spans(thread ledger.Thread) []span {
	var out []span
	for _, e := range thread.Entries {
		if part, inside := e.Clip(t.window); inside {
			out = append(out, span{part, e})
		}
	}
	slices.SortStableFunc(out, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End))
	})
	return out
}

// nested deals spans, in order, to tracks on which each is within the one before or after
// it. There is at least one track.
func nested(spans []span) [][]span {
	tracks := [][]span{nil}
	open := [][]time.Duration{nil} // where the spans that are not over end, on each track
	for _, s := range spans {
		at := -1
		for i := range tracks {
			for n := len(open[i]); n > 0 && open[i][n-1] <= s.Begin; n-- {
				open[i] = open[i][:n-1]
			}
			if n := len(open[i]); at < 0 && (n == 0 || s.End <= open[i][n-1]) {
				at = i
			}
		}
		if at < 0 {
			at = len(tracks)
			tracks, open = append(tracks, nil), append(open, nil)
		}
		tracks[at] = append(tracks[at], s)
		open[at] = append(open[at], s.End)
	}
	return tracks
}

// findings draws each finding over all of the window, as a process of their own.
func (t *tracer) findings(r results.Record) {
	pid := t.fresh()
	t.events = append(t.events, traceEvent{
		Phase: "M", Name: "process_name", PID: pid, TID: pid,
		Args: map[string]any{"name": fmt.Sprintf("%s found: %s", r.Analyzer, r.Verdict)},
	})
	for i, f := range r.Findings {
		tid := t.fresh()
		t.track(pid, tid, fmt.Sprintf("finding %d", i+1))
		name := string(f.Class)
		for _, thread := range f.Accused() {
			name += " " + t.names.label(thread.TID)
		}
		t.slice(pid, tid, span{Window: t.window}, "finding", name, map[string]any{
			"confidence": f.Confidence, "share": f.Share, "blame_ns": f.Blame, "resource": resourceText(f.Resource),
		})
	}
}

// write renders the events, one a line.
func (t *tracer) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, `{"displayTimeUnit":"ms","traceEvents":[`)
	for i, e := range t.events {
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		fmt.Fprintf(b, "%s%s", separator, data)
	}
	fmt.Fprintln(b, "\n]}")
	return b.Flush()
}
