// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"errors"

	"github.com/cilium/ebpf"

	"github.com/os2026/ebpf-rca/bpf"
)

// rules is the kernel's map of unwind rules.
type rules struct {
	*ebpf.Map
	epoch *ebpf.Map
}

// nextEpoch gives all address spaces new names, for which there are no rules.
func (r rules) nextEpoch() error {
	const only = uint32(0)
	var now uint64
	if err := r.epoch.Lookup(only, &now); err != nil {
		return err
	}
	return r.epoch.Put(only, now+1)
}

func (r rules) clear() error {
	var keys []bpf.RuleKey
	var key bpf.RuleKey
	var value bpf.Rule
	all := r.Iterate()
	for all.Next(&key, &value) {
		keys = append(keys, key)
	}
	if err := all.Err(); err != nil {
		return err
	}
	for _, key := range keys {
		if err := r.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return err
		}
	}
	return nil
}
