// SPDX-License-Identifier: Apache-2.0

package scenarios

// withDecoys lists the decoys that every fault has, and then its own.
func withDecoys(own ...Decoy) []Decoy {
	return append([]Decoy{
		{Label: "most-wakeups", Looks: "two threads that wake each other 200 times a second, in bursts"},
		{Label: "most-cpu", Looks: "computes more than any other thread, the culprit included"},
		{Label: "longest-sleep", Looks: "sleeps 600 ms at a time"},
	}, own...)
}

// lastWaker is a thread that passes on what it waited for itself.
func lastWaker(looks string) Decoy {
	return Decoy{Label: "last-waker", Looks: looks}
}

// pager is the thread that memory comes from where it comes late.
func pager() Decoy {
	return Decoy{Label: "pager", Looks: "ends every stall in which a lock is held, and no wait for a lock"}
}
