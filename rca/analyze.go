// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

// Options set the thresholds. The zero value is the default.
type Options struct {
	// MinShare is how much of its window an accusation must have cost a victim, in
	// 0..1; 0 means DefaultMinShare.
	MinShare float64
	// Consume: Analyze takes the waits, preemptions and samples out of the trace, so that
	// what they take of memory is free while they are explained.
	Consume bool
}

// DefaultMinShare is the share of its window that a victim must have lost.
const DefaultMinShare = 0.05

// minBlame is the least waiting that is worth an accusation.
const minBlame = time.Millisecond

// Analyze explains the waits of a trace. It does not change the trace, unless it is to
// consume it. Where waits were left out of it for a part of the time, what it finds in the
// rest stands for the whole.
func Analyze(trace *contention.Trace, opts Options) contention.Analysis {
	if opts.MinShare == 0 {
		opts.MinShare = DefaultMinShare
	}
	if opts.Consume {
		taken := *trace
		trace.Waits, trace.Preemptions, trace.Samples = nil, nil, nil
		trace = &taken
	}
	trace, factor := condense(trace)
	ix := newIndex(trace)
	worth := opts.worth(ix.window)
	book := explainAll(ix, fairOccupants(ix, worth))
	verdicts := founded(ix, judge(ix, book, worth))
	a := contention.Analysis{
		Findings: findings(ix, book, verdicts),
		Charges:  charges(ix, book),
		Totals:   book.totals,
	}
	extend(&a, factor)
	return a
}

// worth tells whether what a victim lost is worth an accusation.
func (o Options) worth(window span) func(lost time.Duration) bool {
	return func(lost time.Duration) bool {
		return lost >= minBlame && float64(lost) >= o.MinShare*float64(window.length())
	}
}

// charges adds up what each thread answers for, most first.
func charges(ix *index, b *book) []contention.Charge {
	sums := make(map[threadNo]time.Duration)
	for key, account := range b.accounts {
		sums[key.culprit] += account.blame
	}
	out := make([]contention.Charge, 0, len(sums))
	for thread, blame := range sums {
		out = append(out, contention.Charge{Thread: ix.threads[thread], Blame: blame})
	}
	slices.SortFunc(out, func(a, b contention.Charge) int {
		return cmp.Or(cmp.Compare(b.Blame, a.Blame), a.Thread.ID().Compare(b.Thread.ID()))
	})
	return out
}
