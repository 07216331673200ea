// SPDX-License-Identifier: Apache-2.0

package rca

import "time"

// exchange is how a producer and those who wait for it stand to each other.
type exchange struct {
	// worst is what it cost the thread that waited for it the longest.
	worst time.Duration
	// owed is how long the producer waited for its victims itself.
	owed time.Duration
}

// slow reports whether the producer waits much less than those it holds up. One that
// waits for them about as long, or longer, is not what keeps the work from going on.
func (x exchange) slow() bool { return x.owed*alike < x.worst }

// even reports whether both sides wait for each other about as long: they take
// turns, and both are as they should be.
func (x exchange) even() bool { return !x.slow() && x.owed <= x.worst*alike }

type pair struct{ culprit, victim threadNo }

// exchanges finds how each producer stands to its victims, over all that they hand
// to each other: a request may go one way by one pipe and come back by another.
func exchanges(b *book) map[threadNo]exchange {
	produced := make(map[pair]time.Duration)
	for key, a := range b.accounts {
		if key.how == byProducing {
			for i := range a.victims.entries {
				v := &a.victims.entries[i]
				produced[pair{key.culprit, v.key}] += v.value.time
			}
		}
	}
	out := make(map[threadNo]exchange)
	for p, d := range produced {
		if p.culprit != p.victim {
			x := out[p.culprit]
			x.worst = max(x.worst, d)
			out[p.culprit] = x
		}
	}
	if len(out) == 0 {
		return out
	}
	for key, a := range b.accounts {
		if key.how != byProducing && key.how != byHolding {
			continue
		}
		for i := range a.victims.entries {
			v := &a.victims.entries[i]
			if produced[pair{v.key, key.culprit}] > 0 && v.key != key.culprit {
				x := out[v.key]
				x.owed += v.value.time
				out[v.key] = x
			}
		}
	}
	return out
}

// acquitEven makes external what is charged to producers that merely take turns with
// their victims.
func acquitEven(b *book, exchanges map[threadNo]exchange, worth func(time.Duration) bool) {
	var even []accountKey
	for key := range b.accounts {
		if x := exchanges[key.culprit]; key.how == byProducing && x.even() && worth(x.worst) {
			even = append(even, key)
		}
	}
	for _, key := range even {
		b.acquit(key)
	}
}
