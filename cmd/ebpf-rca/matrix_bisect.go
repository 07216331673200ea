// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// What 'git bisect run' reads in an exit code: 125 skips a commit, the others up to 127
// call it bad, and those above end the bisection.
const (
	exitUntestable = 125
	exitAbort      = 128
)

// nextStep is the first folder within dir that no earlier step of a bisection has taken.
func nextStep(dir string) string {
	for n := 1; ; n++ {
		step := filepath.Join(dir, strconv.Itoa(n))
		if _, err := os.Lstat(step); err != nil {
			return step
		}
	}
}

// bisected turns how a matrix of one kernel ended into what 'git bisect run' reads. A
// commit is not to be called bad for a mistake of the caller's, nor because it was stopped.
func bisected(ctx context.Context, err error) error {
	var e *exit
	switch isExit := errors.As(err, &e); {
	case err == nil:
		return nil
	case ctx.Err() != nil, isExit && e.code == exitUsage:
		return &exit{code: exitAbort, cause: causeOf(err)}
	case isExit && e.code == exitBelow:
		return err
	default:
		return &exit{code: exitUntestable, cause: causeOf(err)}
	}
}

// causeOf is what is still to be told of an error, nil if all has been.
func causeOf(err error) error {
	var e *exit
	if errors.As(err, &e) {
		return e.cause
	}
	return err
}

// misused marks an error in the flags or arguments.
func (o matrixOptions) misused(err error) error {
	e := &exit{code: exitUsage, cause: err, misused: true}
	if o.bisect {
		e.code = exitAbort
	}
	return e
}
