// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"

	"github.com/os2026/ebpf-rca/bpf"
)

// Check tries what Observe does with these options, on nobody, and lets go at once. It
// returns what would not be seen. Its error is that which Observe would give.
func Check(opts Options) ([]Gap, error) {
	// Of its own process the collector watches nothing.
	a, _, err := watch(bpf.Options{
		Target: os.Getpid(), Own: os.Getpid(),
		Events: true, UserStacks: userStackPolicy(opts), KernelStacks: kernelStackPolicy(opts),
		NoKernelLocks: opts.NoKernelLocks,
	})
	if err != nil {
		return nil, fmt.Errorf("try to watch: %w", err)
	}
	gaps := a.gaps()
	if !opts.NoSamples {
		err = a.sample(sampleHz)
	}
	return gaps, errors.Join(err, a.Close())
}
