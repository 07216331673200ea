// SPDX-License-Identifier: Apache-2.0

package results

import (
	"slices"
	"time"
)

// Speed is how fast a machine does what all scenarios do, measured before they are
// played: on a slow one, or one that oversleeps, times mean something else.
type Speed struct {
	// Oversleep is by how much a sleep of 5 ms is too long.
	OversleepMedian time.Duration `json:"oversleep_median_ns"`
	OversleepP90    time.Duration `json:"oversleep_p90_ns"`
	// Switch is a change of threads over a pipe, the system calls included.
	Switch time.Duration `json:"switch_ns"`
}

// How the parts of a speed are called where they differ.
const (
	switchTime = "switch_time"
	oversleep  = "oversleep_p90"
)

// Speeds differ by noise; to be told, one must be so many times the other, and for sleeps,
// which are late by microseconds at best, by so much.
const (
	speedFactor = 2
	sleepMargin = time.Millisecond
)

// speedDifferences tells where one of the machines is much slower than another, if all
// were measured.
func speedDifferences(envs []Env) []Difference {
	if slices.ContainsFunc(envs, func(e Env) bool { return e.Speed == nil }) {
		return nil
	}
	var out []Difference
	for _, part := range []struct {
		name   string
		margin time.Duration
		of     func(*Speed) time.Duration
	}{
		{switchTime, 0, func(s *Speed) time.Duration { return s.Switch }},
		{oversleep, sleepMargin, func(s *Speed) time.Duration { return s.OversleepP90 }},
	} {
		var times []time.Duration
		var values []string
		for _, e := range envs {
			times = append(times, part.of(e.Speed))
			values = append(values, part.of(e.Speed).String())
		}
		least, most := slices.Min(times), slices.Max(times)
		if most >= speedFactor*least && most-least >= part.margin {
			out = append(out, Difference{Property: part.name, Values: values})
		}
	}
	return out
}
