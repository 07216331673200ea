// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"
	"slices"

	"github.com/os2026/ebpf-rca/contention"
)

// canonical returns the waits in an order that depends on nothing but the waits
// themselves: by their beginning, then by all else. It copies them only if they are
// not in that order.
func canonical(waits []contention.Wait) []contention.Wait {
	if slices.IsSortedFunc(waits, compareWaits) {
		return waits
	}
	sorted := slices.Clone(waits)
	slices.SortFunc(sorted, compareWaits)
	return sorted
}

// compareWaits tells any two waits apart that differ in anything.
func compareWaits(a, b contention.Wait) int {
	if c := cmp.Or(cmp.Compare(a.Begin, b.Begin), a.Thread.Compare(b.Thread)); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Woken, b.Woken),
		cmp.Compare(a.Ran, b.Ran),
		a.Resource.Compare(b.Resource),
		compareWakers(a.Waker, b.Waker),
		cmp.Compare(a.Owner, b.Owner),
		cmp.Compare(a.Late, b.Late),
		cmp.Compare(a.Stack, b.Stack),
		cmp.Compare(a.KernelStack, b.KernelStack),
		a.Occupant.Compare(b.Occupant),
		cmp.Compare(a.Occupied, b.Occupied),
	)
}

func compareWakers(a, b contention.Waker) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		a.Thread.Compare(b.Thread),
		compareBool(a.SameObject, b.SameObject),
		cmp.Compare(a.Stack, b.Stack),
	)
}

// compareBool puts true first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}
