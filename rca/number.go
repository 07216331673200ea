// SPDX-License-Identifier: Apache-2.0

package rca

import (
	"cmp"

	"github.com/os2026/ebpf-rca/contention"
)

// threadNo is the place of a thread in the index, and resourceNo that of a resource.
// They are given out in the order of first use and say nothing; whatever is put in
// order is compared by what they stand for.
type (
	threadNo   int32
	resourceNo int32
)

// nobody is no thread.
const nobody threadNo = -1

// thread numbers a thread.
func (ix *index) thread(id contention.ThreadID) threadNo {
	n, ok := ix.threadNos[id]
	if !ok {
		n = threadNo(len(ix.threads))
		ix.threadNos[id] = n
		ix.threads = append(ix.threads, contention.Thread{TID: id.TID, Start: id.Start})
		ix.lives = append(ix.lives, nil)
		ix.near = append(ix.near, 0)
		ix.samples = append(ix.samples, nil)
		ix.waited = append(ix.waited, 0)
	}
	return n
}

// other numbers a thread that did something to one of the target. Nobody answers
// for what the observer does.
func (ix *index) other(id contention.ThreadID) threadNo {
	if id.IsZero() {
		return nobody
	}
	n := ix.thread(id)
	if ix.observes(n) {
		return nobody
	}
	return n
}

// quota stands for the quotas of control groups, as if it had the CPUs that threads may not
// use. It is no thread, and is not named.
func (ix *index) quota() threadNo {
	n := ix.thread(contention.ThreadID{})
	ix.gone[n] = true
	return n
}

// isQuota reports whether n stands for quotas and not for a thread.
func (ix *index) isQuota(n threadNo) bool { return n != nobody && ix.threads[n].ID().IsZero() }

// evidenceOf is how it is known who had a CPU.
func (ix *index) evidenceOf(occupant threadNo) evidence {
	if ix.isQuota(occupant) {
		return byQuota
	}
	return byCPU
}

// observes reports whether a thread is one of those that watch.
func (ix *index) observes(n threadNo) bool {
	return ix.trace.Observer != 0 && ix.threads[n].PID == ix.trace.Observer
}

// resource numbers a resource.
func (ix *index) resource(r contention.Resource) resourceNo {
	n, ok := ix.resourceNos[r]
	if !ok {
		n = resourceNo(len(ix.objects))
		ix.resourceNos[r] = n
		ix.objects = append(ix.objects, object{Resource: r, nature: natureOf(r.Kind), group: n})
	}
	return n
}

// compareThreads orders by tid, then by start; nobody comes first.
func (ix *index) compareThreads(a, b threadNo) int {
	if a == b || a == nobody || b == nobody {
		return cmp.Compare(a, b)
	}
	return ix.threads[a].ID().Compare(ix.threads[b].ID())
}

func (ix *index) compareResources(a, b resourceNo) int {
	return ix.objects[a].Resource.Compare(ix.objects[b].Resource)
}
