// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ShardEnv is the environment of one of the parts that a folder was merged from.
type ShardEnv struct {
	Shard
	RunID string `json:"run_id"`
	Env   Env    `json:"env"`
}

// commonEnv holds the properties on which all parts agree, and lists the parts.
func commonEnv(parts []*Folder) Env {
	common := fields(parts[0].Env)
	for _, part := range parts[1:] {
		own := fields(part.Env)
		for name, value := range common {
			if string(own[name]) != string(value) {
				delete(common, name)
			}
		}
	}
	var env Env
	if data, err := json.Marshal(common); err == nil {
		_ = json.Unmarshal(data, &env) // each field was one of an Env
	}
	for _, part := range parts {
		env.Shards = append(env.Shards, ShardEnv{part.shard(), part.Plan.RunID, part.Env})
	}
	return env
}

// warnOfShards tells how the parts that a folder was merged from differ, and which are
// not there.
func (f *Folder) warnOfShards() {
	if len(f.Env.Shards) == 0 {
		return
	}
	var envs []Env
	there := map[int]bool{}
	for _, s := range f.Env.Shards {
		if err := s.check(); err != nil {
			f.warn("what the folder was merged from is not known: %v", err)
			return
		}
		envs = append(envs, s.Env)
		there[s.Number] = true
	}
	for _, d := range differencesOf(envs, changing) {
		f.warn("the shards differ in %s: %s", d.Property, byValue(d.Values, f.Env.Shards))
	}
	for number := 1; f.Incomplete && number <= f.Env.Shards[0].Of; number++ {
		if !there[number] {
			f.warn("shard %d/%d was not there when the shards were merged", number, f.Env.Shards[0].Of)
		}
	}
}

// byValue renders each value with the numbers of the shards that have it.
func byValue(values []string, shards []ShardEnv) string {
	var list []string
	for i, value := range values {
		if slices.Contains(values[:i], value) {
			continue
		}
		var numbers []string
		for k := range values {
			if values[k] == value {
				numbers = append(numbers, fmt.Sprint(shards[k].Number))
			}
		}
		if value == "" {
			value = "unknown"
		}
		list = append(list, fmt.Sprintf("%s (%s)", value, strings.Join(numbers, ", ")))
	}
	return strings.Join(list, ", ")
}
