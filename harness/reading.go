// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/os2026/ebpf-rca/harness/ledger"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// reading is what a ledger says of its run by itself.
type reading struct {
	truth results.Truth
	bite  bite
	// alone is the ruling on the run without regard to its twin.
	alone ruling
	// marked are the places in the ledger of the threads with the fault in them, or of
	// those that would have it. A seed puts it into the same threads of fault and twin.
	marked []int
	// delayed says that some thread lacked a CPU for long.
	delayed bool
}

func readingOf(data []byte, sc scenarios.Scenario, run results.Run) (*reading, error) {
	l, err := ledger.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("its ledger cannot be read: %w", err)
	}
	a := accountOf(l)
	got := &reading{truth: a.truth(sc, run.Variant), bite: biteOf(a), alone: first(ledgerTrusted(l), delayTrusted(a, sc, run))}
	if err := marked(sc, run.Variant, l); err != nil {
		got.alone = failed(err)
	}
	for i, t := range l.Threads {
		if t.Culprit || t.WouldBeCulprit {
			got.marked = append(got.marked, i)
		}
		got.delayed = got.delayed || delayedIn(l.Window(), t.RunDelay)
	}
	return got, nil
}

func culpritList(t results.Truth) string {
	var names []string
	for _, c := range t.Culprits {
		names = append(names, fmt.Sprintf("thread %d", c.TID))
	}
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

// differingTruth names the fields in which two truths differ, other than who is the
// culprit, as records name them.
func differingTruth(a, b results.Truth) string {
	var names []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		name, _, _ := strings.Cut(x.Type().Field(i).Tag.Get("json"), ",")
		if name != "culprits" && !sameField(x.Field(i), y.Field(i)) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// sameField takes an empty list for one that is not there.
func sameField(x, y reflect.Value) bool {
	if x.Kind() == reflect.Slice && x.Len() == 0 && y.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(x.Interface(), y.Interface())
}
