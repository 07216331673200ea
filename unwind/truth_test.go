// SPDX-License-Identifier: Apache-2.0

package unwind

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rules agree with what readelf makes of the same entries, at every row.
func TestRulesAreThoseOfReadelf(t *testing.T) {
	builds := map[string][]string{
		"dynamic":       {"-O2"},
		"unoptimised":   {"-O0"},
		"frame pointer": {"-O2", "-fno-omit-frame-pointer"},
		"no pointer":    {"-O2", "-fomit-frame-pointer"},
		"O3":            {"-O3"},
		"no PIE":        {"-O2", "-no-pie"},
		"lazy binding":  {"-O2", "-Wl,-z,lazy", "-fcf-protection"},
		"debug_frame":   {"-O2", "-g", "-fno-asynchronous-unwind-tables"},
		"zlib":          {"-O2", "-g", "-gz=zlib", "-fno-asynchronous-unwind-tables"},
		"static":        {"-O2", "-static"},
	}
	for name, flags := range builds {
		t.Run(name, func(t *testing.T) { compareWithReadelf(t, build(t, flags...), 20) })
	}
	t.Run("libc", func(t *testing.T) { compareWithReadelf(t, libc, 5000) })
}

// expectedRow is a row of readelf's table.
type expectedRow struct {
	pc     uint64
	rule   Rule
	either []Rule // also right
}

func compareWithReadelf(t *testing.T, path string, atLeast int) {
	table := readTable(t, contents(t, path))
	rows := readelfRows(t, path)
	require.GreaterOrEqual(t, len(rows), atLeast)
	wrong := 0
	for _, row := range rows {
		got := table.Rule(row.pc, false)
		if got == row.rule || contains(row.either, got) {
			continue
		}
		if wrong++; wrong < 10 {
			assert.Equal(t, row.rule, got, "at %#x", row.pc)
		}
	}
	assert.Zero(t, wrong, "of %d rows", len(rows))
}

func contains(rules []Rule, r Rule) bool {
	for _, other := range rules {
		if other == r {
			return true
		}
	}
	return false
}

var (
	cieLine    = regexp.MustCompile(`^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE "(\w*)"`)
	fdeLine    = regexp.MustCompile(`FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)`)
	columnLine = regexp.MustCompile(`^ +LOC +CFA `)
	remark     = regexp.MustCompile(` \(\w+\)`)
)

// readelfRows returns what readelf says of the first and the last byte of each row.
func readelfRows(t *testing.T, path string) []expectedRow {
	t.Helper()
	tool, err := exec.LookPath("readelf")
	if err != nil {
		t.Skip("no readelf")
	}
	out, err := exec.Command(tool, "--debug-dump=frames-interp", path).Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) { // it is displeased with separate debug files
		require.NoError(t, err)
	}
	p := readelfParser{initial: map[string]Rule{}, signal: map[string]bool{}}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		require.NoError(t, p.line(lines.Text()), lines.Text())
	}
	p.finish()
	return p.rows
}

type readelfParser struct {
	initial map[string]Rule // by CIE
	signal  map[string]bool

	cie     string // the CIE whose row comes next
	of      string // the CIE of the FDE whose rows come next
	end     uint64
	columns []string
	pending []expectedRow
	rows    []expectedRow
}

func (p *readelfParser) line(line string) error {
	if m := cieLine.FindStringSubmatch(line); m != nil {
		p.finish()
		p.cie, p.signal[m[1]] = m[1], strings.Contains(m[2], "S")
		return nil
	}
	if m := fdeLine.FindStringSubmatch(line); m != nil {
		p.finish()
		start, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil {
			return err
		}
		p.cie, p.of = "", m[1]
		p.end, err = strconv.ParseUint(m[3], 16, 64)
		if start < p.end {
			p.pending = []expectedRow{{pc: start, rule: p.initial[p.of]}}
		}
		return err
	}
	fields := strings.Fields(remark.ReplaceAllString(line, ""))
	switch {
	case columnLine.MatchString(line):
		p.columns = fields
	case len(fields) > 1 && len(fields) == len(p.columns):
		return p.row(fields)
	}
	return nil
}

func (p *readelfParser) row(fields []string) error {
	pc, err := strconv.ParseUint(fields[0], 16, 64)
	if err != nil {
		return err
	}
	value := func(column string) string {
		for i, c := range p.columns {
			if c == column {
				return fields[i]
			}
		}
		return "u"
	}
	row := expectedRow{pc: pc, rule: ruleOf(fields[1], value("rbp"), value("ra"))}
	if fields[1] == "exp" {
		row.either = []Rule{{Kind: FromSP, CFA: 8}, {Kind: FromSP, CFA: 16}}
		if p.signal[p.of] {
			row.either = []Rule{{Kind: Signal}}
		}
	}
	if p.cie != "" {
		p.initial[p.cie] = row.rule
		return nil
	}
	if last := len(p.pending) - 1; last >= 0 && p.pending[last].pc == pc {
		p.pending = p.pending[:last]
	}
	p.pending = append(p.pending, row)
	return nil
}

// finish adds the rows of an FDE, each at its first and its last byte.
func (p *readelfParser) finish() {
	for i, row := range p.pending {
		next := p.end
		if i+1 < len(p.pending) {
			next = p.pending[i+1].pc
		}
		p.rows = append(p.rows, row)
		if row.rule.Kind != Unknown { // an expression may differ from byte to byte
			row.pc = next - 1
			p.rows = append(p.rows, row)
		}
	}
	p.pending, p.columns = nil, nil
}

func ruleOf(cfa, fp, ra string) Rule {
	r := Rule{}
	switch {
	case ra == "u":
		return Rule{Kind: End}
	case ra != "c-8":
		return Rule{}
	case number(cfa, "rsp%d", &r.CFA) && r.CFA >= 8:
		r.Kind = FromSP
	case number(cfa, "rbp%d", &r.CFA):
		r.Kind = FromFP
	default:
		return Rule{}
	}
	if fp == "u" || fp == "s" || number(fp, "c%d", &r.FP) && r.FP != 0 {
		return r
	}
	return Rule{}
}

func number(s, format string, n any) bool {
	_, err := fmt.Sscanf(s, format, n)
	return err == nil
}
