// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// changing are the properties that no two moments have in common, and the parts of a
// merged folder.
var changing = []string{"schema", "load", "steal", "speed", "shards"}

// unremarkable are the properties that differ from one folder to the next by their
// nature, or that stand in the head of a comparison anyway.
var unremarkable = append([]string{"kernel_release", "kernel_version"}, changing...)

// decisive are the properties that alone can change what is found; they are told first.
var decisive = []string{"accel", "clock_source", "cpus", "preemption", switchTime, oversleep}

// differences lists the properties of the environment that are not the same in all
// folders, the decisive ones first.
func differences(folders []*Folder) []Difference {
	envs := make([]Env, len(folders))
	for i, f := range folders {
		envs[i] = f.Env
	}
	return differencesOf(envs, unremarkable)
}

// Changes lists what of an environment is not as it was.
func Changes(before, now Env) []Difference { return differencesOf([]Env{before, now}, changing) }

// differencesOf lists the properties that are not the same in all environments, but for
// those to be left out.
func differencesOf(envs []Env, without []string) []Difference {
	sets := make([]map[string]string, len(envs))
	names := map[string]bool{}
	for i, env := range envs {
		sets[i] = properties(env, without)
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
	out = append(out, speedDifferences(envs)...)
	slices.SortStableFunc(out, func(a, b Difference) int {
		return cmp.Compare(one(!slices.Contains(decisive, a.Property)), one(!slices.Contains(decisive, b.Property)))
	})
	return out
}

// properties renders the fields of an environment by their JSON names.
func properties(env Env, without []string) map[string]string {
	out := map[string]string{}
	for name, value := range fields(env) {
		if !slices.Contains(without, name) {
			out[name] = oneLine(strings.Trim(string(value), `"`))
		}
	}
	return out
}

// fields are those of an environment as JSON has them.
func fields(env Env) map[string]json.RawMessage {
	data, err := json.Marshal(env)
	if err != nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil
	}
	return fields
}
