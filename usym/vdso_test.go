// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"debug/elf"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/image"
)

func TestFrameOfTheVDSO(t *testing.T) {
	maps, err := image.OpenMaps(os.Getpid())
	require.NoError(t, err)
	for _, m := range maps {
		if m.Path != image.VDSO {
			continue
		}
		vdso, err := image.OpenVDSO(os.Getpid(), m)
		require.NoError(t, err)
		f, err := elf.NewFile(vdso)
		require.NoError(t, err)
		symbols, err := f.DynamicSymbols()
		require.NoError(t, err)
		for _, want := range symbols {
			if want.Name == "__vdso_clock_gettime" || want.Name == "__kernel_clock_gettime" {
				address := m.Start + want.Value + 1 // it has no bias of its own
				assert.Equal(t, contention.Frame{
					Function: want.Name, Module: "[vdso]",
					Offset: contention.Address(want.Value + 1), Address: contention.Address(address),
				}, New().Frame(Process{PID: os.Getpid()}, address))
				return
			}
		}
		require.FailNow(t, "no clock_gettime", symbols)
	}
	t.Skip("this kernel maps no vDSO")
}
