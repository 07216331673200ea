// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

var (
	families = []string{
		"mutex", "rwlock", "cond", "sem", "barrier", "futex", "pipe", "socket", "file", "kernel", "chain", "deadlock",
		"cpu", "runtime", "noise", "control",
	}
	nameForm   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)
	kernelForm = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
)

// maxLabel is how long a label may be to fit into the ledger.
const maxLabel = 23

// Validate reports everything that is wrong with a declaration.
func (s Scenario) Validate() error {
	problems := append(s.problems(), s.answerProblems()...)
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("scenario %q: %w", s.Name, errors.Join(problems...))
}

func (s Scenario) problems() []error {
	c := checks{}
	c.hold(nameForm.MatchString(s.Name), "the name is not family-mechanism")
	c.hold(slices.Contains(families, s.Family()), "no such family")
	c.hold(s.Control == (s.Family() == "control"), "controls, and only they, are of the family control")
	c.hold(s.Mechanism != "", "no mechanism")
	c.hold(len(s.Kinds) > 0 || s.Control, "no kind of resource")
	c.hold(kernelForm.MatchString(s.Needs.Kernel), "the kernel needed is not a series")
	c.hold(s.Needs.CPUs > 0, "no number of CPUs")
	c.hold(s.Workload != "", "no workload")
	c.hold(s.Duration > 0, "no duration")
	c.hold(len(s.Doses) > 0, "no dose")
	for _, d := range s.Doses {
		c.hold(d.Contenders > 0, "a dose without contenders")
		c.hold(s.Control == (d.Hold == 0), "faults, and only they, have a hold time")
		c.hold(s.Duration >= minRounds*d.Hold, "too short for a dose to be taken often")
	}
	return c.failed
}

// minRounds is how many holds a run must have room for, so that one that goes wrong
// does not decide it.
const minRounds = 20

func (s Scenario) answerProblems() []error {
	c := checks{}
	if s.Control {
		bare := s.Class == "" && s.Culprits == 0 && !s.Ordered && !s.Unnamed && s.Functions == nil && s.Floor == 0 && s.Twin == "" && s.Decoys == nil
		c.hold(bare, "a control with an answer")
		return c.failed
	}
	c.hold(s.Class != "" && s.Class.Accuses(), "the class accuses nobody")
	c.hold(s.Culprits > 0, "no culprit")
	if s.Unnamed {
		c.hold(s.Culprits == 1 && !s.Ordered && s.Functions == nil, "somebody to be named who cannot be")
	} else if s.Class == contention.Deadlock { // no one of a circle is more at fault than another
		c.hold(!s.Ordered, "a circle has no first")
		c.hold(len(s.Functions) > 0, "a culprit without a function")
	} else {
		c.hold(s.Ordered == (s.Culprits > 1), "several culprits, and only they, are ordered")
		c.hold(len(s.Functions) >= s.Culprits, "a culprit without a function")
	}
	c.hold(s.Floor >= 10*time.Millisecond, "the floor is next to nothing")
	c.hold(s.Twin != "", "no twin")
	c.hold(len(s.Decoys) > 0, "no decoy")
	for _, d := range s.Decoys {
		c.hold(d.Label != "" && len(d.Label) <= maxLabel, "a decoy without a label that fits")
		c.hold(d.Looks != "", "a decoy that does not look guilty")
	}
	return c.failed
}

// checks collects what does not hold.
type checks struct{ failed []error }

func (c *checks) hold(ok bool, otherwise string) {
	if !ok {
		c.failed = append(c.failed, errors.New(otherwise))
	}
}
