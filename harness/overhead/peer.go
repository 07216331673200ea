// SPDX-License-Identifier: Apache-2.0

package overhead

import (
	"context"
	"fmt"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/harness"
)

// Peer makes an observer of a tool of others. What it says is not asked for: only that it
// watches costs anything here.
func Peer(p harness.Peer) Observer {
	return Observer{Name: p.Name, Watch: func(ctx context.Context, pid int, _ bool) (Watch, error) {
		seen, err := p.Attach(ctx, pid)
		if err != nil {
			return nil, err
		}
		return peerWatch{seen}, nil
	}}
}

type peerWatch struct{ harness.Observation }

func (w peerWatch) Used() (Used, error) {
	tool, ok := w.Observation.(interface{ PID() int })
	if !ok {
		return Used{}, nil
	}
	used, err := UsedBy(tool.PID())
	if err != nil {
		return Used{}, fmt.Errorf("the tool has ended: %w", err)
	}
	return used, nil
}

func (peerWatch) Finish(context.Context) (contention.Loss, error) { return contention.Loss{}, nil }
