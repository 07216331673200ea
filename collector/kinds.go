// SPDX-License-Identifier: Apache-2.0

package collector

import "github.com/os2026/ebpf-rca/contention"

// adoptKinds makes a futex of unknown make the object that other waits on the same word
// were for: those of which a stack told. Words of which several kinds are told, as where
// memory was used again, are left alone.
func adoptKinds(resources []contention.Resource) {
	told := make(map[contention.Resource]contention.Resource)
	for _, r := range resources {
		if !toldByStack(r.Kind) {
			continue
		}
		word := wordOf(r, r.Address)
		if other, ok := told[word]; ok && other.Kind != r.Kind {
			r.Kind = contention.Futex
		}
		told[word] = r
	}
	for i, r := range resources {
		if r.Kind != contention.Futex {
			continue
		}
		for _, w := range words {
			of, ok := told[wordOf(r, objectAddress(r.Address, w.kind)-w.offset)]
			if ok && (w.kind == "" || w.kind == of.Kind) {
				resources[i] = of
				break
			}
		}
	}
}

// words are where in an object of a kind the words may lie that threads sleep on; that of
// an object of any kind is its first.
var words = []struct {
	kind   contention.Kind
	offset contention.Address
}{
	{"", 0}, {contention.CondVar, 0}, {contention.RWLock, 0}, {contention.Barrier, 0},
	{contention.CondVar, condVarOffset}, {contention.RWLock, rwLockOffset},
}

// wordOf is a resource by its place alone.
func wordOf(r contention.Resource, address contention.Address) contention.Resource {
	return contention.Resource{Address: address, Device: r.Device, Inode: r.Inode, PID: r.PID}
}

// toldByStack reports whether a kind of lock is known by the function that waits.
func toldByStack(k contention.Kind) bool {
	switch k {
	case contention.Mutex, contention.RWLock, contention.CondVar, contention.Semaphore, contention.Barrier,
		contention.Join, contention.Monitor:
		return true
	default:
		return false
	}
}

// hasTwoWords reports whether threads wait for one object of kind k on two words, which
// lie side by side.
func hasTwoWords(k contention.Kind) bool {
	switch k {
	case contention.CondVar, contention.RWLock, contention.Barrier:
		return true
	default:
		return false
	}
}

// objectAddress is the address of the words of one object, of which there may be two.
func objectAddress(word contention.Address, kind contention.Kind) contention.Address {
	if hasTwoWords(kind) {
		return word &^ 7
	}
	return word
}
