// SPDX-License-Identifier: Apache-2.0

package bpf

//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64,arm64 -go-package bpf -type task_id -type object -type wake -type event_type -type call -type wake_kind -type loss -type wait_event -type wait_batch -type preempt_event -type sample_event -type exec_event -type thread_totals -type stack -type cursor -type stack_miss -type rule_key -type rule -type rule_kind watch watch.bpf.c -- -O2 -Wall -Werror
//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64,arm64 -go-package bpf -no-global-types before515 watch.bpf.c -- -O2 -Wall -Werror -DBEFORE_5_15
