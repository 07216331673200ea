// SPDX-License-Identifier: Apache-2.0

package scenarios

// plainNeeds is what a program asks for that uses nothing special: two CPUs, so that
// waiting for one stays apart from other waiting, and a kernel on which a wait can be
// told from the saved registers of the thread: all that the collector can be loaded into.
func plainNeeds() Needs { return Needs{Kernel: "5.10", CPUs: 2} }

// kernelLockNeeds is what a program asks for whose threads wait for a lock of the kernel:
// that the kernel tells of it (contention_begin, Linux 5.19).
func kernelLockNeeds() Needs {
	n := plainNeeds()
	n.Kernel = "5.19"
	return n
}

// pagedNeeds is what a program asks for that stops in the middle of a system call until
// a thread fills in its memory: userfaultfd with faults of the kernel, which takes
// CAP_SYS_PTRACE, and for a directory of its own a file system that it may make. It stops
// there with a lock of the kernel.
func pagedNeeds() Needs {
	n := kernelLockNeeds()
	n.Root = true
	return n
}

// priorityNeeds is what a program asks for that gives threads a better priority than it has
// itself, which takes CAP_SYS_NICE.
func priorityNeeds() Needs {
	n := plainNeeds()
	n.Root = true
	return n
}

// quotaNeeds is what a program asks for that limits the CPU time of some of its threads.
func quotaNeeds() Needs {
	n := priorityNeeds()
	n.CPUQuota = true
	return n
}
