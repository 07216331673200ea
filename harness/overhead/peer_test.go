// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
	"github.com/os2026/ebpf-rca/results"
)

// peerOf attaches a tool with a process.
type peerOf struct{ pid, attached, closed int }

func (p *peerOf) Attach(context.Context, int) (harness.Observation, error) {
	p.attached++
	return p, nil
}

func (p *peerOf) Finish(context.Context, contention.Window) (*contention.Trace, error) {
	panic("it is not to be asked")
}
func (p *peerOf) Cost() results.Overhead { return results.Overhead{} }
func (p *peerOf) Close() error           { p.closed++; return nil }
func (p *peerOf) PID() int               { return p.pid }

func TestPeer(t *testing.T) {
	tool := &peerOf{pid: os.Getpid()}
	o := Peer(harness.Peer{Name: "peer:x", Observer: tool})
	assert.Equal(t, "peer:x", o.Name)
	assert.False(t, o.Accounted)
	w, err := o.Watch(t.Context(), 1, false)
	require.NoError(t, err)
	used, err := w.Used()
	require.NoError(t, err)
	assert.Positive(t, used.CPU)
	assert.Positive(t, used.RSSBytes)
	loss, err := w.Finish(t.Context())
	require.NoError(t, err)
	assert.Zero(t, loss)
	require.NoError(t, w.Close())
	assert.Equal(t, [2]int{1, 1}, [2]int{tool.attached, tool.closed})

	ended := exec.Command("true")
	require.NoError(t, ended.Run())
	tool.pid = ended.Process.Pid
	_, err = w.Used()
	require.ErrorContains(t, err, "the tool has ended")
}
