// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

type deaf struct{}

func (deaf) started(int)        {}
func (deaf) take(Message) error { return nil }

// Of an emulator that ends by itself it is told how.
func TestBootTellsHowQEMUEnded(t *testing.T) {
	ended := "it did not boot: it ended before it had played all; QEMU: "
	for _, test := range []struct {
		script, reason string
		verdict        results.Verdict
	}{
		{"kill -9 $$", ended + "signal: killed", results.Infra},
		{"echo no room >&2", ended + "no room", results.Infra},
		{"echo no room >&2; exit 1", ended + "no room; QEMU: exit status 1", results.Infra},
		{"exec sleep 60", "it did not boot: it hung: nothing was heard of it for 1s", results.Timeout},
	} {
		q := QEMU{Path: filepath.Join(t.TempDir(), "qemu")}
		require.NoError(t, os.WriteFile(q.Path, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755))
		e, err := q.boot(t.Context(), machine{}, nil, patience{boot: time.Second}, deaf{})
		require.NoError(t, err)
		assert.Equal(t, test.reason, e.reason)
		assert.Equal(t, test.verdict, e.verdict)
	}
}
