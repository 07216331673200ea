// SPDX-License-Identifier: Apache-2.0

package collector

// Gap is something that an observation does not see: this kernel does not tell, or was
// not asked.
type Gap string

// The gaps there may be.
const (
	KernelLocks     Gap = "kernel locks"
	FileLockHolders Gap = "holders of file locks"
)

// Without says what degrades where there is the gap.
func (g Gap) Without() string {
	switch g {
	case KernelLocks:
		return "waits for the kernel's own locks are not told from other waits in system calls and page faults, and nobody is accused of them (kernels tell from 5.19 on)"
	case FileLockHolders:
		return "who has a file by flock is not known while others still wait for it"
	default:
		return ""
	}
}

// Gaps lists what the observation does not see.
func (o *Observation) Gaps() []Gap { return o.attachment.gaps() }

func (a *attachment) gaps() []Gap {
	var gaps []Gap
	if !a.objects.KernelLocks() {
		gaps = append(gaps, KernelLocks)
	}
	if !a.objects.FileLocks() {
		gaps = append(gaps, FileLockHolders)
	}
	return gaps
}
