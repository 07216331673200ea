// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"slices"
	"time"
)

// tenure is a hold of a resource that all its holders must leave, as a lock that
// readers share or a barrier, which is held by those who are still to come.
type tenure struct {
	thread int
	until  time.Duration
}

func (m *moment) applyTenure(c change) {
	t, list := tenure{c.thread, c.until}, m.tenures[c.resource]
	if !c.ends {
		m.tenures[c.resource] = append(list, t)
	} else if i := slices.Index(list, t); i >= 0 {
		m.tenures[c.resource] = slices.Delete(list, i, i+1)
	}
}

// lastToLeave picks those of the threads, which are in order, whose tenure ends last.
// They are several only where they end at one instant, or have not ended.
func lastToLeave(list []tenure, threads []int) []int {
	until := make(map[int]time.Duration)
	var last time.Duration
	for _, t := range list {
		if slices.Contains(threads, t.thread) {
			until[t.thread] = max(until[t.thread], t.until)
			last = max(last, t.until)
		}
	}
	return slices.DeleteFunc(slices.Clone(threads), func(t int) bool { return until[t] != last })
}
