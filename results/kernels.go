// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// KernelScores are those of one kernel of a matrix.
type KernelScores struct {
	Kernel MatrixKernel `json:"kernel"`
	Env    Env          `json:"env"`
	Scores Scores       `json:"scores"`
}

// WriteKernels prints a line for each kernel: how the first analyser did on all scenarios,
// how often the kernel was booted, and how fast its machine was.
func WriteKernels(w io.Writer, all []KernelScores) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KERNEL\tRUNS\tAC@1\tFRAME\tCLASS\tCHAIN\tFAR\tBLAME ERR\tP90\tSUPPORT\tVALID\tACCEL\tCLOCK\tSWITCH\tBOOTS\tNOT AS IT SHOULD BE")
	for _, k := range all {
		if len(k.Scores.Overall) > 0 {
			fmt.Fprintln(t, strings.Join(kernelRow(k), "\t"))
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func kernelRow(k KernelScores) []string {
	s := k.Scores.Overall[0]
	speed := "-"
	if k.Env.Speed != nil {
		speed = k.Env.Speed.Switch.String()
	}
	return []string{
		k.Kernel.Folder,
		fmt.Sprint(s.Runs),
		s.Thread.AC1.String(),
		brief(s.Frame),
		brief(s.Class),
		optional(s.ChainF1),
		brief(s.FAR),
		s.BlameError.percent(s.BlameError.Median),
		s.BlameError.percent(s.BlameError.P90),
		percent(s.Support),
		percent(s.Validity),
		cmp.Or(k.Env.Accel, "-"),
		cmp.Or(k.Env.ClockSource, "-"),
		speed,
		fmt.Sprint(k.Kernel.Boots),
		exceptions(s),
	}
}
