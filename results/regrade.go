// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"strings"
)

// Label names a record in a sentence.
func (r Record) Label() string {
	return fmt.Sprintf("run %d, %s %s, seed %d, %s", r.Index, r.Scenario, r.Variant, r.Seed, r.Analyzer)
}

// changes tells in what a record differs from what it is graded as.
func changes(recorded, graded Record) []string {
	var list []string
	tell := func(format string, args ...any) {
		list = append(list, recorded.Label()+": "+fmt.Sprintf(format, args...))
	}
	if recorded.Verdict != graded.Verdict {
		tell("recorded as %s, graded as %s", recorded.Verdict, graded.Verdict)
	}
	if recorded.Ranks != graded.Ranks {
		tell("recorded with rank %s, its findings give %s", differing(recorded.Ranks, graded.Ranks), differing(graded.Ranks, recorded.Ranks))
	}
	if recorded.DecoyFirst != graded.DecoyFirst {
		tell("recorded with decoy_first %v, graded %v", recorded.DecoyFirst, graded.DecoyFirst)
	}
	if recorded.Blame != graded.Blame {
		tell("recorded with a blame error of %.3f, its charges give %.3f", recorded.Blame.Error, graded.Blame.Error)
	}
	if recorded.Chain != graded.Chain {
		tell("recorded with a chain F1 of %.3f, its findings give %.3f", recorded.Chain.F1(), graded.Chain.F1())
	}
	return list
}

// differing lists the ranks of r that are others in other: "2 by thread".
func differing(r, other Ranks) string {
	var parts []string
	at := func(level string, rank, otherRank int) {
		if rank != otherRank {
			parts = append(parts, fmt.Sprintf("%d by %s", rank, level))
		}
	}
	at("class", r.Class, other.Class)
	at("process", r.Process, other.Process)
	at("thread", r.Thread, other.Thread)
	at("resource", r.Resource, other.Resource)
	at("frame", r.Frame, other.Frame)
	at("edge", r.Edge, other.Edge)
	return strings.Join(parts, ", ")
}
