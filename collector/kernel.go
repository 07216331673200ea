// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"github.com/cilium/ebpf/btf"

	"github.com/os2026/ebpf-rca/ksym"
)

// Kernel keeps what each observation must read of the kernel, for the next one. It may be
// used by several goroutines. A nil Kernel keeps nothing.
type Kernel struct {
	symbols ksym.Cache
	types   *btf.Cache
}

// NewKernel makes one that has read nothing yet.
func NewKernel() *Kernel { return &Kernel{types: btf.NewCache()} }

func (k *Kernel) loadSymbols() *ksym.Table {
	var cache *ksym.Cache
	if k != nil {
		cache = &k.symbols
	}
	table, _ := cache.Load() // what it does not name is shown as an address
	return table
}

func (k *Kernel) typeCache() *btf.Cache {
	if k == nil {
		return nil
	}
	return k.types
}
