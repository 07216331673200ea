// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

const needed = "CAP_BPF and CAP_PERFMON, or root, are needed"

// privileged asks for the capabilities before anything else does: without them, what
// a kernel supports cannot be told from what it forbids.
func privileged() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("read this process's capabilities: %w", err)
	}
	if !sufficient(sets) {
		return fmt.Errorf("%s: %w", needed, os.ErrPermission)
	}
	return nil
}

func sufficient(sets [2]unix.CapUserData) bool {
	has := func(capability int) bool {
		return sets[capability/32].Effective&(1<<(capability%32)) != 0
	}
	return has(unix.CAP_SYS_ADMIN) || has(unix.CAP_BPF) && has(unix.CAP_PERFMON)
}

// permission says what would permit what err says is not permitted, as to who has
// the capabilities in a user namespace only.
func permission(err error) error {
	var refused *ebpf.VerifierError
	switch {
	case errors.As(err, &refused) && !errors.Is(err, os.ErrPermission):
		return fmt.Errorf("the verifier refuses it: %w", err)
	case refused != nil:
		// The verifier's EACCES is no lack of privilege and must not pass for one.
		return errors.New("the verifier refuses it: " + err.Error())
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s: %w", needed, err)
	default:
		return err
	}
}
