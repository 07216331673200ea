// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"

	"github.com/os2026/ebpf-rca/results"
)

// difference is the 95 % interval of a − b for two independent shares: Newcombe's
// hybrid score interval (Statistics in Medicine 17, 1998, method 10).
func difference(a, b results.Proportion) (low, high float64) {
	d := a.Value - b.Value
	return d - math.Hypot(a.Value-a.Low, b.High-b.Value), d + math.Hypot(a.High-a.Value, b.Value-b.Low)
}
