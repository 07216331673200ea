// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"math"
	"slices"
	"time"
)

// trust is how far each kind of evidence is believed. A release by a system call on
// the very object is all but proof. An owner word may be stale. A thread that
// wakes another outside such a call may have done so for another reason. Who had a CPU last
// need not have had it all the time; that it was a quota the kernel says itself.
var trust = [evidences]float64{byRelease: 0.99, byOwner: 0.9, byWaker: 0.8, byCPU: 0.7, byQuota: 0.99}

// unfounded is the confidence in what rests on no evidence at all.
const unfounded = 0.5

// minConfidence is the least with which a thread is accused: below it the accusation is
// more likely wrong than right.
const minConfidence = 0.5

// confidence weighs the evidence by the time that rests on it, and falls with what was
// not seen.
func confidence(ix *index, j judgement) float64 {
	var weighed float64
	var known time.Duration
	for e, d := range j.account.evidence {
		weighed += trust[e] * float64(d)
		known += d
	}
	if known == 0 {
		return unfounded
	}
	return weighed / float64(known) * ix.clarity()
}

// clarity is how far an answer can be relied on beside what was lost, 1 if nothing was. A
// lost event falsifies three intervals: a thread that slept seems to have worked, and what
// it let go goes on to whoever lets go next, from whom before. So the share that was seen
// counts three times. A wake-up of unknown origin only shifts blame by one release.
func (ix *index) clarity() float64 {
	seen := float64(ix.seen)
	if seen == 0 {
		return 0
	}
	lost, unmatched := float64(ix.trace.Loss.Events()), float64(ix.trace.Loss.UnmatchedWake)
	return math.Pow(seen/(seen+lost), 3) * math.Sqrt(seen/(seen+unmatched))
}

// founded leaves out the accusations that rest on too little.
func founded(ix *index, judgements []judgement) []judgement {
	return slices.DeleteFunc(judgements, func(j judgement) bool {
		return j.class.Accuses() && confidence(ix, j) < minConfidence
	})
}
