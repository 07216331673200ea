// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"math"
	"slices"
)

// z95 is the normal quantile of a two-sided interval of 95 %.
const z95 = 1.959963984540054

// Proportion is a share of N runs with its 95 % interval after Wilson. With N 0 it
// was not measured.
type Proportion struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
}

// Wilson returns the share of sum in n and its interval. The sum may be fractional
// where one run counts in part.
func Wilson(sum float64, n int) Proportion {
	if n <= 0 {
		return Proportion{}
	}
	total := float64(n)
	p := sum / total
	scale := 1 + z95*z95/total
	mid := (p + z95*z95/(2*total)) / scale
	half := z95 / scale * math.Sqrt(p*(1-p)/total+z95*z95/(4*total*total))
	return Proportion{Value: p, Low: max(mid-half, 0), High: min(mid+half, 1), N: n}
}

// String renders p as a share with its interval, "-" if it was not measured.
func (p Proportion) String() string {
	if p.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f [%.2f,%.2f]", p.Value, p.Low, p.High)
}

// Quantile returns the q-th quantile of values, interpolated between neighbours,
// and false if there are none. It leaves values as they are.
func Quantile(values []float64, q float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	return sortedQuantile(slices.Sorted(slices.Values(values)), q), true
}

func sortedQuantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(math.Floor(at))
	above := min(below+1, len(sorted)-1)
	part := at - float64(below)
	return sorted[below]*(1-part) + sorted[above]*part
}

// mean of values, false if there are none.
func mean(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), true
}
