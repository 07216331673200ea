// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"cmp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/results"
)

// ofQuotas is root blame where a quota keeps the culprits of the ledger from a CPU: what
// they cost others for want of one, and their own waiting for it, is the quota's. That is
// no thread, and stands as nobody.
func (a *account) ofQuotas() []results.ThreadBlame {
	root, quota := slices.Clone(a.root), time.Duration(0)
	for i, t := range a.threads {
		if !t.Culprit {
			continue
		}
		for r, cost := range a.rootBy[i] {
			if a.isCPU(r) {
				root[i] -= cost
				quota += cost
			}
		}
		quota += a.lacking[i]
	}
	list := a.blame(root)
	if quota > 0 {
		list = append(list, results.ThreadBlame{Time: quota})
	}
	slices.SortStableFunc(list, func(x, y results.ThreadBlame) int { return cmp.Compare(y.Time, x.Time) })
	return list
}
