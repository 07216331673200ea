// SPDX-License-Identifier: Apache-2.0

package results

import "math"

// MaxRuns is the largest number of runs that is reckoned with: beyond, a change is too
// small to be seen.
const MaxRuns = 1000

// wantedPower is how likely a change of the size asked for is to be seen.
const wantedPower = 0.80

// z80 is the normal quantile of wantedPower.
const z80 = 0.8416212335729143

// A Test tells whether two shares differ.
type Test string

// The tests: of runs in pairs, and of runs that are not.
const (
	McNemarTest Test = "mcnemar"
	FisherTest  Test = "fisher"
)

// RunsNeeded returns how many runs on each side a test needs so that a change of a share
// from one value to another is significant at a level with a probability of 80 %;
// MaxRuns + 1 if more than that. Pairs are taken to turn out independently of each other,
// which asks for the most of them.
func RunsNeeded(test Test, from, to, level float64) int {
	if from == to {
		return MaxRuns + 1
	}
	if test == McNemarTest {
		return pairsNeeded(from*(1-to), (1-from)*to, level)
	}
	return runsNeeded(from, to, level)
}

// runsNeeded is the formula of Casagrande, Pike and Smith (Biometrics 34, 1978), which
// comes close to what Fisher's test needs; where a share is 0 or 1 it asks for up to a
// quarter too many.
func runsNeeded(from, to, level float64) int {
	d, mid := math.Abs(to-from), (from+to)/2
	z := math.Sqrt2 * math.Erfinv(1-level)
	root := z*math.Sqrt(2*mid*(1-mid)) + z80*math.Sqrt(from*(1-from)+to*(1-to))
	n := root * root / (d * d)
	n *= math.Pow(1+math.Sqrt(1+4/(n*d)), 2) / 4
	return int(math.Ceil(min(n, MaxRuns+1)))
}

// pairsNeeded finds the number by halving: the power grows with it, but for small steps
// back where one more pair leaves the test less of its level to use.
func pairsNeeded(lost, won, level float64) int {
	low, high := 0, 1
	for pairedPower(high, lost, won, level) < wantedPower {
		low, high = high, 2*high
		if low > MaxRuns {
			return MaxRuns + 1
		}
	}
	for high-low > 1 {
		if mid := (low + high) / 2; pairedPower(mid, lost, won, level) < wantedPower {
			low = mid
		} else {
			high = mid
		}
	}
	return min(high, MaxRuns+1)
}

// pairedPower is how likely the exact test of McNemar finds, in n pairs of which shares
// are lost and won, a difference of that direction.
func pairedPower(n int, lost, won, level float64) float64 {
	differ := lost + won
	more := max(lost, won) / differ
	middle, width := float64(n)*differ, 8*math.Sqrt(float64(n)*differ*(1-differ))+1
	power := 0.0
	for changed := max(int(middle-width), 0); changed <= min(int(middle+width), n); changed++ {
		least := leastSignificant(changed, level)
		if least <= changed {
			power += binomial(changed, n, differ) * binomialTail(least, changed, more)
		}
	}
	return power
}

// leastSignificant returns how many of the pairs that changed must have gone one way to
// be significant; more than there are if all are not enough.
func leastSignificant(changed int, level float64) int {
	tail := 0.0
	for k := changed; k >= 0; k-- {
		tail += binomial(k, changed, 0.5)
		if 2*tail > level {
			return k + 1
		}
	}
	return 0
}
