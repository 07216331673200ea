// SPDX-License-Identifier: Apache-2.0

package scenarios

import "regexp"

// Catalogue lists all scenarios, in the order in which they are shown and played.
func Catalogue() []Scenario {
	return []Scenario{
		mutexHold(),
		mutexHoldOnCPU(),
		mutexConvoy(),
		mutexTwoCulprits(),
		futexRaw(),
		futexShared(),
		pipeSlowWriter(),
		pipeSlowReader(),
		pipeChain(),
		controlQuiet(),
		controlSleepers(),
		controlCPUBound(),
		controlPipeBalanced(),
		controlMutexUncontended(),
		controlIdlePool(),
	}
}

// Find returns the scenario of a name, false if there is none.
func Find(name string) (Scenario, bool) {
	for _, s := range Catalogue() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// Match lists the scenarios whose name re matches, all of them where re is nil.
func Match(re *regexp.Regexp) []Scenario {
	var list []Scenario
	for _, s := range Catalogue() {
		if re == nil || re.MatchString(s.Name) {
			list = append(list, s)
		}
	}
	return list
}

// Smoke lists the few scenarios that are run on every change.
func Smoke() []Scenario {
	var list []Scenario
	for _, s := range Catalogue() {
		if s.Smoke {
			list = append(list, s)
		}
	}
	return list
}
