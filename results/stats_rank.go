// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"
)

// maxExactRanks is up to how many values in both samples together the distribution of
// the rank sum is counted out.
const maxExactRanks = 60

// RankTest is the outcome of a Mann–Whitney test.
type RankTest struct {
	// Greater is the probability that a value is above one of the others, where a tie
	// is half a win: 0.5 where nothing differs.
	Greater float64
	// P is two-sided: of all rank sums at least as far from the middle.
	P float64
}

// MannWhitney tests whether values differ in location from others. P is exact, with ties
// too, up to 60 values in all; above, it is the normal approximation with corrections for
// ties and continuity. Where there are no values to compare nothing differs.
func MannWhitney(values, others []float64) RankTest {
	m, n := len(values), len(others)
	if m == 0 || n == 0 {
		return RankTest{Greater: 0.5, P: 1}
	}
	ranks := doubledRanks(values, others)
	sum := 0
	for _, r := range ranks[:m] {
		sum += r
	}
	test := RankTest{Greater: float64(sum-m*(m+1)) / float64(2*m*n)}
	if m+n <= maxExactRanks {
		test.P = exactRanks(ranks, m, sum)
	} else {
		test.P = normalRanks(ranks, m, sum)
	}
	return test
}

// doubledRanks returns twice the rank that each value has among all: twice, because tied
// ones share the mean of theirs.
func doubledRanks(values, others []float64) []int {
	sorted := slices.Sorted(slices.Values(slices.Concat(values, others)))
	ranks := make([]int, 0, len(sorted))
	for _, v := range slices.Concat(values, others) {
		below, _ := slices.BinarySearch(sorted, v)
		upTo, _ := slices.BinarySearchFunc(sorted, v, func(x, v float64) int {
			if x <= v {
				return -1
			}
			return 1
		})
		ranks = append(ranks, below+1+upTo)
	}
	return ranks
}

// exactRanks counts in how many ways m of the ranks can be chosen, and in how many of
// them their sum is as far from its mean as sum (the shift algorithm of Streitberg and
// Röhmel).
func exactRanks(ranks []int, m, sum int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, m+1) // by how many are chosen and their sum
	for i := range ways {
		ways[i] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for chosen := m; chosen > 0; chosen-- {
			for s := total; s >= r; s-- {
				ways[chosen][s] += ways[chosen-1][s-r]
			}
		}
	}
	distance := func(s int) int { return max(s*len(ranks)-m*total, m*total-s*len(ranks)) }
	all, far := 0.0, 0.0
	for s, w := range ways[m] {
		all += w
		if distance(s) >= distance(sum) {
			far += w
		}
	}
	return far / all
}

// normalRanks approximates what exactRanks counts.
func normalRanks(ranks []int, m, sum int) float64 {
	size := float64(len(ranks))
	mean, squares := size+1, 0.0 // of doubled ranks
	for _, r := range ranks {
		squares += math.Pow(float64(r)-mean, 2)
	}
	variance := float64(m) * (size - float64(m)) * squares / (size * (size - 1))
	// A sum of ranks moves in steps of one, a doubled one in steps of two.
	distance := max(math.Abs(float64(sum)-float64(m)*mean)-1, 0)
	if distance == 0 {
		return 1
	}
	return math.Erfc(distance / math.Sqrt(2*variance))
}
