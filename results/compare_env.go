// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// unremarkable are the properties that differ from one folder to the next by their
// nature, or that stand in the head of a comparison anyway.
var unremarkable = []string{"schema", "load", "steal", "kernel_release", "kernel_version"}

// decisive are the properties that alone can change what is found; they are told first.
var decisive = []string{"accel", "clock_source", "cpus", "preemption"}

// differences lists the properties of the environment that are not the same in all
// folders, the decisive ones first.
func differences(folders []*Folder) []Difference {
	sets := make([]map[string]string, len(folders))
	names := map[string]bool{}
	for i, f := range folders {
		sets[i] = properties(f.Env)
		for name := range sets[i] {
			names[name] = true
		}
	}
	var out []Difference
	for _, name := range sortedKeys(names) {
		values := make([]string, len(sets))
		for i, set := range sets {
			values[i] = set[name]
		}
		if len(slices.Compact(slices.Clone(values))) > 1 {
			out = append(out, Difference{Property: name, Values: values})
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		return cmp.Compare(one(!slices.Contains(decisive, a.Property)), one(!slices.Contains(decisive, b.Property)))
	})
	return out
}

// properties renders the remarkable fields of an environment by their JSON names.
func properties(env Env) map[string]string {
	data, err := json.Marshal(env)
	if err != nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil
	}
	out := map[string]string{}
	for name, value := range fields {
		if !slices.Contains(unremarkable, name) {
			out[name] = oneLine(strings.Trim(string(value), `"`))
		}
	}
	return out
}
