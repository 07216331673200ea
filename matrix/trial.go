// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/os2026/ebpf-rca/results"
)

// maxDeaths is how many guests may die of a run.
const maxDeaths = 2

// maxFruitless is how many guests in a row may die without a record before the plan of a
// kernel is given up.
const maxFruitless = 3

// trial plays the plan of one kernel's folder.
type trial struct {
	Options
	kernel Kernel
	accel  Accel
	base   []byte // the part of the first file system that all kernels share
	store  *results.Store

	outcome Outcome
	// attempts are what became of earlier ones at a run, by its index.
	attempts  map[int]*attempts
	attention attention
	total     int
	done      int
}

// attempts at a run that did not come to a record.
type attempts struct {
	reasons []string
	deaths  int // of guests
	// neglected counts those that the host did not let run, and why is that of the last.
	neglected int
	why       string
	leaveOut  bool // what this boot tells of the run
}

func (o Options) trial(kernel Kernel, store *results.Store, accel Accel, base []byte) *trial {
	return &trial{
		Options: o, kernel: kernel, accel: accel, base: base, store: store,
		outcome:  Outcome{Kernel: kernel, Dir: store.Dir(), Accel: accel},
		attempts: map[int]*attempts{},
	}
}

func (t *trial) at(index int) *attempts {
	if t.attempts[index] == nil {
		t.attempts[index] = &attempts{}
	}
	return t.attempts[index]
}

// play boots guests until all of the plan is recorded. A run in which a guest dies is
// played once more; if it brings down that guest too, it is recorded as what it is.
func (t *trial) play(ctx context.Context) (Outcome, error) {
	fruitless := 0
	for {
		left, err := t.left()
		if err != nil || left == 0 {
			return t.outcome, err
		}
		if ctx.Err() != nil {
			return t.outcome, ctx.Err()
		}
		e, err := t.boot(ctx)
		if err != nil {
			return t.outcome, err
		}
		if e.end != nil && e.end.Code == 0 && e.damaged == 0 && e.records > 0 {
			continue // what is left tells whether all is there; left out was what the host neglected
		}
		reason, err := t.mourn(e)
		if err != nil {
			return t.outcome, err
		}
		fruitless++
		if e.records > 0 {
			fruitless = 0
		}
		if fruitless == maxFruitless || (e.end != nil && e.end.Reason != "") {
			t.outcome.Err = fmt.Errorf("kernel %s: %w: %s", t.kernel.Release, ErrUntestable, reason)
			return t.outcome, nil
		}
	}
}

// left counts the records that are still to be made.
func (t *trial) left() (int, error) {
	folder, err := results.Open(t.store.Dir())
	if err != nil {
		return 0, err
	}
	t.total, t.done = len(folder.Records), 0
	for _, r := range folder.Records {
		if r.Verdict != results.Lost {
			t.done++
		}
	}
	return t.total - t.done, nil
}

// boot starts one guest with what is recorded so far.
func (t *trial) boot(ctx context.Context) (ending, error) {
	initrd, err := t.initrd()
	if err != nil {
		return ending{}, err
	}
	console, err := filepath.Abs(t.console())
	if err != nil {
		return ending{}, err
	}
	t.outcome.Boots++
	t.tell(Event{Kernel: t.kernel, Done: t.done, Total: t.total, Note: "booting " + t.kernel.Release})
	return t.QEMU.boot(ctx, t.machine(t.kernel, t.accel, console), initrd, patience{boot: t.Boot, run: t.Silence}, t)
}

// console is the first name that no earlier boot has taken.
func (t *trial) console() string {
	for n := 1; ; n++ {
		path := filepath.Join(t.store.Dir(), fmt.Sprintf("console-%d.log", n))
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

func (t *trial) initrd() ([]byte, error) {
	var own Payload
	if err := own.AddResults(t.store.Dir()); err != nil {
		return nil, err
	}
	if t.kernel.Config != "" {
		own.AddFile("/boot/config-"+t.kernel.Release, t.kernel.Config)
	}
	var archive bytes.Buffer
	archive.Write(t.base)
	if err := own.Write(&archive); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}

// started begins to pay attention to a guest.
func (t *trial) started(pid int) {
	t.attention = attention{pid: pid}
	for _, a := range t.attempts {
		a.why, a.leaveOut = "", false
	}
}

// take keeps what a guest tells.
func (t *trial) take(m Message) error {
	switch {
	case m.Env != nil:
		env := *m.Env
		env.Accel, env.QEMUVersion = string(t.accel), t.QEMU.Version
		return t.store.PutEnv(env)
	case m.File != nil:
		return t.store.PutFile(m.File.Name, m.File.Data)
	case m.Begin != nil:
		t.judgeAttention()
		t.attention.begin(m.Begin.Index)
		t.tell(Event{Kernel: t.kernel, Run: m.Begin, Done: t.done, Total: t.total})
	case m.Record != nil:
		if m.Record.Index == t.attention.index {
			t.judgeAttention()
		}
		return t.keep(*m.Record)
	}
	return nil
}

// judgeAttention decides of the run that was being played whether what the guest tells of
// it is left out, for it to be played again in another boot.
func (t *trial) judgeAttention() {
	why := t.attention.end()
	if why == "" {
		return
	}
	a := t.at(t.attention.index)
	if a.why, a.leaveOut = why, a.neglected < t.Retries; a.leaveOut {
		a.neglected++
		a.reasons = append(a.reasons, why)
		t.tell(Event{Kernel: t.kernel, Done: t.done, Total: t.total, Note: fmt.Sprintf("run %d is to be played again: %s", t.attention.index, why)})
	}
}

// keep appends a record, with what became of earlier attempts. What the host did not let
// run is left out or, if that was done too often, untrusted.
func (t *trial) keep(r results.Record) error {
	a := t.at(r.Index)
	if r.Verdict != results.Unsupported && a.why != "" {
		if a.leaveOut {
			return nil
		}
		r.Verdict, r.Reason = results.Untrusted, a.why
	}
	r.Dropped = append(slices.Clone(a.reasons), r.Dropped...)
	if err := t.store.Append(r); err != nil {
		return err
	}
	t.done++
	t.tell(Event{Kernel: t.kernel, Record: &r, Done: t.done, Total: t.total})
	return nil
}

// mourn notes why a guest died before it had played all, and returns it. A run that cost
// a second guest is recorded so.
func (t *trial) mourn(e ending) (reason string, err error) {
	reason = e.why()
	t.outcome.Deaths = append(t.outcome.Deaths, reason)
	t.tell(Event{Kernel: t.kernel, Done: t.done, Total: t.total, Note: "the guest died: " + reason})
	if e.running == nil {
		return reason, nil
	}
	a := t.at(e.running.Index)
	if a.deaths++; a.deaths < maxDeaths {
		a.reasons = append(a.reasons, "the guest died: "+reason)
		return reason, nil
	}
	return reason, t.record(*e.running, e.verdict, reason)
}

// record says of a run that its guest died of it, for each analyser.
func (t *trial) record(run results.Run, verdict results.Verdict, reason string) error {
	for _, analyzer := range t.store.Plan().Analyzers {
		err := t.store.Append(results.Record{
			Run: run, Analyzer: analyzer, Verdict: verdict, Reason: "the guest died: " + reason,
			Dropped: t.at(run.Index).reasons,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
