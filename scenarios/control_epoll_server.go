// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

func controlEpollServer() Scenario {
	return Scenario{
		Name:      "control-epoll-server",
		Mechanism: "Threads that serve, by one epoll, a client that is no part of the program and asks when its timer says so.",
		Control:   true,
		Kinds:     []contention.Kind{contention.Poll},
		Needs:     plainNeeds(),
		Doses:     []contention.Dose{{Contenders: 3}},
		Workload:  "control-epoll-server",
		Duration:  1500 * time.Millisecond,
	}
}
