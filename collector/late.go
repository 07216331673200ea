// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/os2026/ebpf-rca/bpf"
	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

const (
	// longOpen is how long a thread sleeps on a word that has changed before that is
	// looked into: who changes a word wakes those who sleep on it right afterwards.
	longOpen = 500 * time.Millisecond
	// lookAgain is how much later it must be so still. A thread may be preempted between
	// the change and the wake-up.
	lookAgain = 50 * time.Millisecond
)

// lateLooks is what is found of the open waits when a window ends.
type lateLooks map[contention.ThreadID]contention.LateLook

// lookLate reads the futex words of all waits that have not ended into their objects: a
// word read now says more than one that was read when the wait began.
func lookLate(threads []bpf.ThreadTotals, again func() ([]bpf.ThreadTotals, error)) (lateLooks, error) {
	memories := make(memories)
	defer memories.close()
	looks := make(lateLooks)
	suspects := false
	now := Now()
	for i := range threads {
		t := &threads[i]
		if t.OpenNs == 0 || t.Wake.Ns != 0 {
			continue
		}
		switch look := memories.look(t); {
		case t.Object.KernelLock != 0 || t.Object.Call == bpf.CallFlock: // read with the totals
			looks[threadOf(t.Thread).ID()] = contention.OwnerRead
		case look.Has(contention.WordChanged) && now-time.Duration(t.OpenNs) < longOpen:
			looks[threadOf(t.Thread).ID()] = look &^ contention.WordChanged
		default:
			looks[threadOf(t.Thread).ID()] = look
			suspects = suspects || look.Has(contention.WordChanged)
		}
	}
	if suspects {
		return looks, looks.confirm(threads, memories, again)
	}
	return looks, nil
}

// confirm looks again a moment later, and drops what is not so any more.
func (looks lateLooks) confirm(threads []bpf.ThreadTotals, memories memories, again func() ([]bpf.ThreadTotals, error)) error {
	time.Sleep(lookAgain)
	list, err := again()
	if err != nil {
		return err
	}
	later := make(map[bpf.TaskID]*bpf.ThreadTotals, len(list))
	for i := range list {
		later[list[i].Thread] = &list[i]
	}
	for i := range threads {
		t := &threads[i]
		l := later[t.Thread]
		if l == nil || l.OpenNs != t.OpenNs || l.Wake.Ns != 0 || !memories.look(l).Has(contention.WordChanged) {
			looks[threadOf(t.Thread).ID()] &^= contention.WordChanged
		}
	}
	return nil
}

// memories are those of the processes that wait, open.
type memories map[uint32]io.ReaderAt

func (m memories) close() {
	for _, r := range m {
		if f, ok := r.(*os.File); ok {
			f.Close()
		}
	}
}

// of returns the memory of a process, nil if it cannot be read, or if the tids in it are
// not those of our pid namespace.
func (m memories) of(tgid uint32) io.ReaderAt {
	r, ok := m[tgid]
	if !ok {
		if f, err := image.OpenMemory(int(tgid)); err == nil && countsAsWe(int(tgid)) {
			r = f
		} else if err == nil {
			f.Close()
		}
		m[tgid] = r
	}
	return r
}

// look reads the words at the futex that t sleeps on into its object.
func (m memories) look(t *bpf.ThreadTotals) contention.LateLook {
	o := &t.Object
	if o.Call != bpf.CallFutexWait || o.KernelLock != 0 {
		return 0
	}
	memory := m.of(t.Thread.Tgid)
	var raw [len(o.Words) * 4]byte
	if memory == nil {
		return 0
	}
	if _, err := memory.ReadAt(raw[:], int64(o.Address)); err != nil {
		return 0
	}
	for i := range o.Words {
		o.Words[i] = binary.NativeEndian.Uint32(raw[4*i:])
	}
	o.WordsRead = 1
	if sleepsForValue(o) && o.Words[0] != o.Value {
		return contention.OwnerRead | contention.WordChanged
	}
	return contention.OwnerRead
}

// sleepsForValue reports whether a thread sleeps because the futex word has a certain
// value, and not until the kernel gives it a lock.
func sleepsForValue(o *bpf.Object) bool {
	switch o.Op & futexCommand {
	case futexWait, futexWaitBitset:
		return true
	default:
		return false
	}
}

// countsAsWe reports whether a process is in our pid namespace.
func countsAsWe(pid int) bool {
	own, err := os.Readlink("/proc/self/ns/pid")
	its, itsErr := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid")
	return err == nil && itsErr == nil && own == its
}

// isGone reports whether no thread has tid.
func isGone(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", tid))
	return errors.Is(err, os.ErrNotExist)
}
