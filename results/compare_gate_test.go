// SPDX-License-Identifier: Apache-2.0

package results

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGateDoesNotPassWhatItCannotSee(t *testing.T) {
	base := onKernel("a", "6.1.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit))
	for name, c := range map[string]struct {
		other *Folder
		want  int
	}{
		"all there":   {onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit)), ExitGood},
		"not planned": {onKernel("b", "6.2.0", play(3, "m", fault, Hit)), ExitInfra},
		"broken":      {onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Infra)), ExitInfra},
		"unsupported": {onKernel("b", "5.4.0", play(3, "m", fault, Hit), play(3, "n", fault, Unsupported)), ExitGood},
	} {
		assert.Equal(t, c.want, compared(t, true, base, c.other).Outcome().Code, name)
	}
	half := onKernel("b", "6.2.0", play(3, "m", fault, Hit), play(3, "n", fault, Hit))
	half.Incomplete = true
	assert.Equal(t, ExitInfra, compared(t, true, base, half).Outcome().Code)
}

func TestGateOnBlame(t *testing.T) {
	before, after := play(10, "m", fault, Hit), play(10, "m", fault, Hit)
	for i := range before {
		before[i].Blame, after[i].Blame = Blame{True: 1, Error: float64(i) / 1000}, Blame{True: 1, Error: 0.5}
	}
	o := compared(t, true, onKernel("a", "6.1.0", before), onKernel("b", "6.1.0", after)).Outcome()
	assert.Equal(t, ExitBelow, o.Code)
	assert.Equal(t, []string{"m: b blames with an error of 50.0%, +49.5 [+49.3,+49.8] points (p 1.08e-05, mann-whitney)"}, o.Reasons)
	assert.Equal(t, ExitGood, compared(t, true, onKernel("b", "6.1.0", after), onKernel("a", "6.1.0", before)).Outcome().Code)
}
