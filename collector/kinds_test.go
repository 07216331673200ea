// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestWordsWithoutAStackAreOfTheKindThatOthersTell(t *testing.T) {
	at := func(k contention.Kind, a contention.Address) contention.Resource {
		return contention.Resource{Kind: k, Address: a, PID: 1}
	}
	named := func(r contention.Resource) contention.Resource {
		r.Symbol = "x"
		return r
	}
	elsewhere := at(contention.Futex, 0x10)
	elsewhere.PID = 2
	for name, test := range map[string]struct{ have, want []contention.Resource }{
		"mutex": {
			[]contention.Resource{at(contention.Futex, 0x10), named(at(contention.Mutex, 0x10))},
			[]contention.Resource{named(at(contention.Mutex, 0x10)), named(at(contention.Mutex, 0x10))},
		},
		"second word of a condition variable": {
			[]contention.Resource{at(contention.CondVar, 0x10), at(contention.Futex, 0x14)},
			[]contention.Resource{at(contention.CondVar, 0x10), at(contention.CondVar, 0x10)},
		},
		"words of glibc's condition variable and rwlock": {
			[]contention.Resource{at(contention.CondVar, 0x10), at(contention.Futex, 0x3c), at(contention.RWLock, 0x80), at(contention.Futex, 0x8c), at(contention.Futex, 0xa8)},
			[]contention.Resource{at(contention.CondVar, 0x10), at(contention.CondVar, 0x10), at(contention.RWLock, 0x80), at(contention.RWLock, 0x80), at(contention.Futex, 0xa8)},
		},
		"a word behind a mutex is another": {
			[]contention.Resource{at(contention.Mutex, 0x10), at(contention.Futex, 0x14)},
			[]contention.Resource{at(contention.Mutex, 0x10), at(contention.Futex, 0x14)},
		},
		"memory that was used again": {
			[]contention.Resource{at(contention.Mutex, 0x10), at(contention.Semaphore, 0x10), at(contention.Futex, 0x10)},
			[]contention.Resource{at(contention.Mutex, 0x10), at(contention.Semaphore, 0x10), at(contention.Futex, 0x10)},
		},
		"another process": {
			[]contention.Resource{at(contention.Mutex, 0x10), elsewhere},
			[]contention.Resource{at(contention.Mutex, 0x10), elsewhere},
		},
		"nobody tells": {
			[]contention.Resource{at(contention.Futex, 0x10)},
			[]contention.Resource{at(contention.Futex, 0x10)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := append([]contention.Resource(nil), test.have...)
			adoptKinds(got)
			assert.Equal(t, test.want, got)
		})
	}
}
