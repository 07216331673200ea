// SPDX-License-Identifier: Apache-2.0

package image_test

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/image"
)

func TestOpenVDSO(t *testing.T) {
	maps, err := image.OpenMaps(os.Getpid())
	require.NoError(t, err)
	for _, m := range maps {
		if m.Path != image.VDSO {
			continue
		}
		vdso, err := image.OpenVDSO(os.Getpid(), m)
		require.NoError(t, err)
		assert.Equal(t, int64(m.End-m.Start), vdso.Size())
		f, err := image.ReadELF(vdso, vdso.Size())
		require.NoError(t, err)
		require.NoError(t, f.Damage)
		assert.NotNil(t, f.Section(".dynsym"))
		assert.NotEmpty(t, image.BuildID(f))
		return
	}
	t.Skip("this kernel maps no vDSO")
}

func TestOpenVDSOOfWhatIsNone(t *testing.T) {
	_, err := image.OpenVDSO(os.Getpid(), image.Mapping{Start: 0x1000, End: 0x2000, Path: "[heap]"})
	require.ErrorIs(t, err, fs.ErrInvalid)
	_, err = image.OpenVDSO(os.Getpid(), image.Mapping{Start: 0, End: 1 << 40, Path: image.VDSO})
	require.ErrorIs(t, err, fs.ErrInvalid)
	_, err = image.OpenVDSO(os.Getpid(), image.Mapping{Start: 0, End: 0x1000, Path: image.VDSO})
	require.ErrorContains(t, err, "read the vDSO")
}
