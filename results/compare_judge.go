// SPDX-License-Identifier: Apache-2.0

package results

// Judgement sums up how a scenario changed from the base.
type Judgement string

// The judgements.
const (
	// Worse and Better are changes that chance does not explain; what got both is worse.
	Worse  Judgement = "worse"
	Better Judgement = "better"
	// Unchanged says that as many runs as there are rule out a change for the worse of
	// the size asked for: the 95 % intervals of the changes in hits and false alarms do
	// not reach it.
	Unchanged Judgement = "unchanged"
	// Unknown is all else: too few runs, or none to compare.
	Unknown Judgement = "unknown"
)

// judgements are all there are, in the order in which they are told.
var judgements = []Judgement{Worse, Better, Unchanged, Unknown}

// judge sums up each cell beside that of the base.
func (c *Comparison) judge() {
	base := c.base()
	for i := range c.Columns {
		if i == base {
			continue
		}
		c.Columns[i].Judgements = map[Judgement]int{}
		for _, row := range c.Rows {
			cell := &row.Cells[i]
			cell.judge(row.Cells[base], c.Drop)
			c.Columns[i].Judgements[cell.Judgement]++
		}
	}
}

func (c *Cell) judge(base Cell, drop float64) {
	hitsRuledOut := c.Hits.Method != "" && c.Hits.Shift.Low > -drop
	alarmsRuledOut := c.Alarms.Method != "" && c.Alarms.Shift.High < drop
	compared := c.Hits.Method != "" || c.Alarms.Method != ""
	switch {
	case c.Hits.Significant() || c.Alarms.Significant() || c.Blame.Significant():
		c.Judgement = Worse
	case c.Hits.Gain() || c.Alarms.Gain() || c.Blame.Gain():
		c.Judgement = Better
	case compared && (hitsRuledOut || base.Recall.N == 0) && (alarmsRuledOut || base.FAR.N == 0):
		c.Judgement = Unchanged
	default:
		c.Judgement = Unknown
		if !hitsRuledOut {
			c.Needed = c.Hits.needed(-drop)
		}
		if !alarmsRuledOut {
			c.Needed = max(c.Needed, c.Alarms.needed(drop))
		}
	}
}

// needed is how many runs would show a change of a size, at the level that Holm may ask
// for; 0 where nothing was tested. A share that has no room for it changes the other way.
func (c Change) needed(by float64) int {
	if c.Method == "" {
		return 0
	}
	to := c.before + by
	if to < 0 || to > 1 {
		to = c.before - by
	}
	return RunsNeeded(c.Method, c.before, to, c.level)
}
