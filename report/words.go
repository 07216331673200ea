// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/results"
)

// duration renders d with three digits or so.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.size {
			return fmt.Sprintf("%.3g %s", float64(d)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// times counts how often.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// percent renders a share of 1.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// resourceText names a resource.
func resourceText(r contention.Resource) string {
	parts := []string{string(r.Kind)}
	if r.Symbol != "" {
		parts = append(parts, r.Symbol)
	}
	if r.Address != 0 {
		parts = append(parts, r.Address.String())
	}
	if r.Inode != 0 {
		parts = append(parts, fmt.Sprintf("inode %d", r.Inode))
	}
	if r.Side != "" {
		parts = append(parts, "for "+string(r.Side))
	}
	return strings.Join(parts, " ")
}

// doseText tells how much contention was put in.
func doseText(d contention.Dose) string {
	if d == (contention.Dose{}) {
		return "no dose"
	}
	return fmt.Sprintf("hold %s, %s", duration(d.Hold), crowdText(d))
}

// crowdText renders what a dose has beside its hold time.
func crowdText(d contention.Dose) string {
	text := plural(d.Contenders, "contender")
	if d.Noise > 0 {
		text += ", " + plural(d.Noise, "thread") + " of noise"
	}
	return text
}

// mark is a sign and a word for a verdict; the sign differs in shape.
type mark struct {
	Sign, Word, Class string
}

func markOf(v results.Verdict) mark {
	switch v {
	case results.Hit:
		return mark{"✓", "hit", "good"}
	case results.CorrectReject:
		return mark{"✓", "correct reject", "good"}
	case results.Miss:
		return mark{"✗", "miss", "bad"}
	case results.FalseAlarm:
		return mark{"▲", "false alarm", "bad"}
	case results.Unsupported:
		return mark{"–", "unsupported", "none"}
	default:
		return mark{"?", string(v), "warn"}
	}
}
