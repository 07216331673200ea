// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/os2026/ebpf-rca/contention"
)

func TestLedgerNamesItsResources(t *testing.T) {
	l := &Ledger{Resources: []Resource{
		{Resource: contention.Resource{Kind: contention.Mutex, Address: 0x10}},
		{Resource: contention.Resource{Kind: contention.Pipe, Inode: 7}},
		{Resource: contention.Resource{Kind: contention.Mutex, Address: 0xc0, Inode: 9}},
		{Resource: contention.Resource{Kind: contention.CondVar, Address: 0x100}},
		{},
	}}
	for r, want := range map[contention.Resource]bool{
		{Address: 0x10, PID: 5}:                  true,
		{Inode: 7, Side: contention.ForData}:     true,
		{Kind: contention.Futex, Address: 0x124}: true, // a word of the condition variable
		{Kind: contention.Futex, Address: 0x130}: false,
		{Address: 0xc0, Inode: 9}:                true,
		{Address: 0xc0}:                          false,
		{Inode: 9}:                               false,
		{Kind: contention.Timer, TID: 1}:         false,
	} {
		assert.Equal(t, want, l.Names(r), "%v", r)
	}
}
