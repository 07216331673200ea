// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
	"github.com/os2026/ebpf-rca/scenarios"
)

// noiseTime is for how long noise could go on; it is stopped long before.
const noiseTime = time.Hour

// errNoiseEnded says that a run was quieter than planned.
var errNoiseEnded = errors.New("the noise ended before the run")

// noise is a process beside a workload, in which threads sleep and run that have nothing
// to do with it. It is not told to whoever observes. Without a process it is silence.
type noise struct {
	program *workload
}

// startNoise starts as many threads of noise as a run's dose has.
func (s Stage) startNoise(ctx context.Context, run results.Run) (noise, error) {
	if run.Dose.Noise == 0 {
		return noise{}, nil
	}
	dose := contention.Dose{Contenders: run.Dose.Noise}
	asked := results.Run{Variant: contention.ControlVariant, Seed: run.Seed, Dose: dose}
	program, err := startWorkload(filepath.Join(s.WorkloadDir, scenarios.Noise), arguments(scenarios.Scenario{Duration: noiseTime}, asked))
	if err != nil {
		return noise{}, fmt.Errorf("start noise: %w", err)
	}
	if err = program.hear(ctx, "ready", s.Ready); err == nil {
		err = program.say("go")
	}
	if err != nil {
		program.stop()
		return noise{}, fmt.Errorf("start noise: %w", err)
	}
	return noise{program}, nil
}

// check returns an error if there is no noise any more.
func (n noise) check() error {
	if n.program == nil {
		return nil
	}
	select {
	case <-n.program.Ended():
		return n.program.because(errNoiseEnded)
	default:
		return nil
	}
}

// stop ends the noise and returns when nothing is left of it.
func (n noise) stop() {
	if n.program != nil {
		n.program.stop()
	}
}
