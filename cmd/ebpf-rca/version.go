// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/bpf"
)

// Set by the linker.
var (
	version = "devel"
	commit  = "unknown"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and the hash of the eBPF objects",
		Example: "  ebpf-rca version",
		Args:    exactly(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "ebpf-rca %s\ncommit %s\nobjects %s\n%s %s/%s\n",
				version, commit, bpf.Hash(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
