// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"
	"fmt"
	"os"

	"github.com/os2026/ebpf-rca/bpf"
)

// Check tries what Observe does with these options, on nobody, and lets go at once.
// Its error is that which Observe would give.
func Check(opts Options) error {
	// Of its own process the collector watches nothing.
	a, _, err := watch(bpf.Options{
		Target: os.Getpid(), Own: os.Getpid(),
		Events: true, UserStacks: userStackPolicy(opts), KernelStacks: kernelStackPolicy(opts),
	})
	if err != nil {
		return fmt.Errorf("try to watch: %w", err)
	}
	if !opts.NoSamples {
		err = a.sample(sampleHz)
	}
	return errors.Join(err, a.Close())
}
