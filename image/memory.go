// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// VDSO is the name of the mapping of the code that the kernel lends to processes.
const VDSO = "[vdso]"

// maxVDSO is far above the two to five pages that it has.
const maxVDSO = 1 << 20

// OpenMemory opens the memory of a process, to be read at its addresses. It needs the
// right to trace the process.
func OpenMemory(pid int) (*os.File, error) { return os.Open("/proc/" + strconv.Itoa(pid) + "/mem") }

// OpenVDSO returns a copy of the ELF image that m, the mapping named VDSO, shows. It
// has no file.
func OpenVDSO(pid int, m Mapping) (*bytes.Reader, error) {
	if m.Path != VDSO || m.End-m.Start > maxVDSO {
		return nil, fmt.Errorf("mapping %#x of process %d: %w: not the vDSO", m.Start, pid, fs.ErrInvalid)
	}
	memory, err := OpenMemory(pid)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	data := make([]byte, m.End-m.Start)
	if _, err := io.ReadFull(io.NewSectionReader(memory, int64(m.Start), int64(len(data))), data); err != nil {
		return nil, fmt.Errorf("read the vDSO of process %d: %w", pid, err)
	}
	return bytes.NewReader(data), nil
}
