// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/scenarios"
)

func objects(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	return list
}

func keys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names
}

func TestListJSON(t *testing.T) {
	r := do(t, "list", "--json")
	require.Equal(t, exitGood, r.code)
	list := objects(t, r.stdout)
	require.Len(t, list, len(scenarios.Catalogue()))
	for i, s := range scenarios.Catalogue() {
		e := list[i]
		assert.ElementsMatch(t, []string{"name", "family", "control", "smoke", "mechanism", "kinds", "needs", "doses"}, keys(e))
		assert.Equal(t, s.Name, e["name"])
		assert.True(t, strings.HasPrefix(s.Name, e["family"].(string)+"-"))
		assert.Equal(t, s.Control, e["control"])
		assert.Equal(t, s.Smoke, e["smoke"])
		assert.NotEmpty(t, e["mechanism"])
		assert.IsType(t, []any{}, e["kinds"], s.Name)
		assert.Contains(t, e["needs"], "kernel")
		assert.IsType(t, []any{}, e["doses"], s.Name)
	}
	hold := list[0]
	require.Equal(t, "mutex-hold", hold["name"])
	assert.Equal(t, []any{"mutex"}, hold["kinds"])
	assert.Equal(t, map[string]any{"hold_ns": 50e6, "contenders": 4.0}, hold["doses"].([]any)[0])
}

func TestListNamesEach(t *testing.T) {
	r := do(t, "list")
	require.Equal(t, exitGood, r.code)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	require.Len(t, lines, len(scenarios.Catalogue()))
	for i, s := range scenarios.Catalogue() {
		words := strings.Fields(lines[i])
		assert.Equal(t, s.Name, words[0])
		assert.Equal(t, s.Smoke, words[1] == "smoke")
		assert.True(t, strings.HasSuffix(lines[i], s.Mechanism))
	}
}

func TestDescribe(t *testing.T) {
	for _, s := range scenarios.Catalogue() {
		r := do(t, "describe", s.Name)
		require.Equal(t, exitGood, r.code)
		assert.Contains(t, r.stdout, s.Mechanism)
		if s.Control {
			assert.Contains(t, r.stdout, "nobody is accused")
			continue
		}
		assert.Contains(t, r.stdout, s.Twin)
		if s.Unnamed {
			assert.Contains(t, r.stdout, "of nobody")
		} else {
			assert.Contains(t, r.stdout, s.Functions[0])
		}
		for _, d := range s.Decoys {
			assert.Contains(t, r.stdout, d.Label)
		}
	}
}

func TestDescribeJSON(t *testing.T) {
	list := objects(t, do(t, "describe", "mutex-convoy", "--json").stdout)
	require.Len(t, list, 1)
	assert.Equal(t, "mutex-convoy", list[0]["name"])
	assert.NotEmpty(t, list[0]["twin"])
	assert.NotEmpty(t, list[0]["decoys"])
}
