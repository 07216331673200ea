// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
)

const (
	screenFindings = 5 // that are told in full
	screenStacks   = 2 // of each
	screenFrames   = 6 // of each
	// screenShare is the least share of the time that a second stack must stand for.
	screenShare = 0.02
)

// screen writes what a person reads. It stops at the first error.
type screen struct {
	w   io.Writer
	err error
}

func (s *screen) line(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintln(s.w, printable(fmt.Sprintf(format, args...)))
	}
}

func (s *screen) gap() { s.line("") }

// writeScreen tells a diagnosis: the answer first, then what it rests on.
func writeScreen(w io.Writer, d diagnosis) error {
	s := &screen{w: w}
	s.line("process %d (%s), watched for %s on kernel %s", d.Target.PID, orUnknown(d.Target.Comm), seconds(d.Window), d.Kernel)
	s.gap()
	accused, informed := split(d.Findings)
	s.headline(d, accused, informed)
	for _, f := range accused[:min(len(accused), screenFindings)] {
		s.accusation(f, d.Window)
	}
	if more := len(accused) - screenFindings; more > 0 {
		s.gap()
		s.line("%s more: see --json.", plural(more, "smaller cause"))
	}
	s.circumstances(informed)
	for _, note := range d.Notes {
		s.gap()
		s.line("Note: %s.", note)
	}
	return s.err
}

// split parts the findings that accuse from those that inform.
func split(findings []contention.Finding) (accused, informed []contention.Finding) {
	for _, f := range findings {
		if f.Class.Accuses() {
			accused = append(accused, f)
		} else {
			informed = append(informed, f)
		}
	}
	return accused, informed
}

// headline gives the answer in one line.
func (s *screen) headline(d diagnosis, accused, informed []contention.Finding) {
	waited := seconds(d.Totals.Blame)
	switch {
	case len(accused) > 0 && accused[0].Class == contention.Deadlock:
		s.line("Deadlock: %s for ever.", circleText(accused[0]))
	case len(accused) > 0 && accused[0].Class == contention.LostWakeup:
		s.line("Lost wake-up: %s asleep though what they wait for has come about.", plural(len(accused[0].Victims), "thread"))
	case len(accused) > 0:
		s.line("Threads waited %s for each other; %s answers for %s of it.",
			waited, culpritName(accused[0]), percent(accused[0].Share))
	case mostlyLost(d):
		s.line("It cannot be told who is to blame: %d events were lost, and %d waits seen.", d.Loss.Events(), seenWaits(d))
	case len(informed) > 0 && informed[0].Class == contention.Contended:
		s.line("No one thread is to blame: threads waited %s for what all of them hold for a like time.", waited)
	case d.Totals.Blame < time.Millisecond:
		s.line("No thread is to blame: none waited for another to speak of.")
	default:
		s.line("No thread is to blame: threads waited %s in all for each other, none of them long for any one.", waited)
	}
	if d.Totals.Open > d.Window/2 {
		s.line("%s more went into waits that nobody ended.", seconds(d.Totals.Open))
	}
}

// circleText says who waits for whom in a deadlock.
func circleText(f contention.Finding) string {
	if len(f.Culprits) == 0 {
		return "a thread waits for itself"
	}
	return plural(len(f.Culprits), "thread") + " wait for each other"
}

// mostlyLost reports whether so much was not seen that silence means nothing.
func mostlyLost(d diagnosis) bool { return d.Loss.Events()*10 > uint64(seenWaits(d)) }

// seenWaits counts the waits of all kinds.
func seenWaits(d diagnosis) int {
	n := 0
	for _, k := range d.Totals.ByKind {
		n += k.Waits
	}
	return n
}

func (s *screen) accusation(f contention.Finding, window time.Duration) {
	s.gap()
	s.line("%d. %s %s", f.Rank, culpritName(f), deed(f))
	cost := seconds(f.Blame) + " of waiting"
	if f.Share > 0 {
		cost += " (" + percent(f.Share) + ")"
	}
	s.line("   cost %s, confidence %.2f", cost, f.Confidence)
	if len(f.Victims) > 0 {
		v := f.Victims[0]
		s.line("   %s waited, the most %s: %s, %s of its time, %s", plural(len(f.Victims), "thread"),
			threadName(v.Thread), seconds(v.Wait), percent(float64(v.Wait)/float64(max(window, 1))), plural(v.Count, "time"))
	}
	if path := chainText(f); path != "" {
		s.line("   %s", path)
	}
	s.stacks(f)
	if len(f.Victims) > 0 && len(f.Victims[0].Stack) > 0 {
		s.line("   %s waited in", threadName(f.Victims[0].Thread))
		s.frames(f.Victims[0].Stack)
	}
}

// stacks shows what the culprit did meanwhile, and where it let go if nothing else is
// known.
func (s *screen) stacks(f contention.Finding) {
	sum := heldTime(f)
	for i, st := range f.Stacks[:min(len(f.Stacks), screenStacks)] {
		if i > 0 && (st.Role == contention.ReleaseStack || float64(st.Weight) < screenShare*float64(sum)) {
			return
		}
		s.line("   %s%s", roleText(st.Role), shareOf(st, sum))
		s.frames(st.Frames)
	}
}

// heldTime is the time that the stacks of a finding stand for. Those of releases
// stand for none.
func heldTime(f contention.Finding) (sum time.Duration) {
	for _, st := range f.Stacks {
		if st.Role != contention.ReleaseStack {
			sum += st.Weight
		}
	}
	return sum
}

func shareOf(st contention.WeightedStack, sum time.Duration) string {
	if st.Role == contention.ReleaseStack || sum == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of the time)", percent(float64(st.Weight)/float64(sum)))
}

func roleText(r contention.Role) string {
	switch r {
	case contention.HoldingOnCPU:
		return "meanwhile it ran in"
	case contention.HoldingOffCPU:
		return "meanwhile it slept in"
	case contention.HoldingRunnable:
		return "meanwhile it wanted a CPU in"
	default:
		return "it let go in"
	}
}

// frames shows the inner part of a stack. What a library does within itself says little,
// so of each stretch in one library it shows where it is and how it came there.
func (s *screen) frames(stack contention.Stack) {
	shown := 0
	for i, f := range stack {
		if isWithinLibrary(stack, i) {
			continue
		}
		if shown++; shown > screenFrames {
			s.line("       … %d more", len(stack)-i)
			return
		}
		s.line("       %s", frameText(f))
		if f.Truncated {
			s.line("       … and more that could not be followed")
		}
	}
}

// isWithinLibrary reports whether the frames on both sides of i are of its own library.
func isWithinLibrary(stack contention.Stack, i int) bool {
	module := stack[i].Module
	return i > 0 && i+1 < len(stack) && strings.Contains(module, ".so") &&
		stack[i-1].Module == module && stack[i+1].Module == module
}

// circumstances tells of waiting that is nobody's fault.
func (s *screen) circumstances(informed []contention.Finding) {
	if len(informed) == 0 {
		return
	}
	s.gap()
	s.line("Nobody's fault:")
	for _, f := range informed[:min(len(informed), screenFindings)] {
		s.line("   %s waited %s %s", plural(len(f.Victims), "thread"), seconds(f.Blame), circumstance(f))
		if f.Class == contention.Contended && len(f.Stacks) > 0 {
			s.line("   it was held most in")
			s.frames(f.Stacks[0].Frames)
		}
	}
	if more := len(informed) - screenFindings; more > 0 {
		s.line("   %d more: see --json.", more)
	}
}

// chainText tells the heaviest way from a victim to the culprit where there is
// somebody between them, and the circle of a deadlock.
func chainText(f contention.Finding) string {
	hops := heaviestWay(f)
	if len(hops) < 2 {
		return ""
	}
	names := namesOf(f)
	parts := make([]string, len(hops))
	for i, h := range hops {
		parts[i] = fmt.Sprintf("%s waits for %s over %s", names.of(h.Waiter), names.of(h.Holder), resourceName(h.Resource))
	}
	return strings.Join(parts, "; ")
}

// heaviestWay follows the hops, of which the heaviest come first, from the first
// waiter to the culprit. It is nil if they do not lead there.
func heaviestWay(f contention.Finding) []contention.Hop {
	if len(f.Chain) == 0 || f.Culprit == nil {
		return nil
	}
	next := make(map[int]contention.Hop)
	for _, h := range f.Chain {
		if _, known := next[h.Waiter]; !known {
			next[h.Waiter] = h
		}
	}
	var way []contention.Hop
	for at := f.Chain[0].Waiter; len(way) < len(next); {
		h, known := next[at]
		if !known {
			return nil
		}
		way = append(way, h)
		if at = h.Holder; at == f.Culprit.TID {
			return way
		}
	}
	return nil
}

// threadNames are the names of the threads of a finding, by tid.
type threadNames map[int]string

func namesOf(f contention.Finding) threadNames {
	names := make(threadNames)
	for _, t := range f.Culprits {
		names[t.TID] = t.Comm
	}
	for _, v := range f.Victims {
		names[v.TID] = v.Comm
	}
	if f.Culprit != nil {
		names[f.Culprit.TID] = f.Culprit.Comm
	}
	return names
}

func (n threadNames) of(tid int) string {
	if name := n[tid]; name != "" {
		return fmt.Sprintf("%s (%d)", name, tid)
	}
	return fmt.Sprintf("thread %d", tid)
}
