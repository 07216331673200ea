// SPDX-License-Identifier: Apache-2.0

package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func markdownOf(t *testing.T, f *Folder) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteMarkdown(&b, f, Score(f)))
	return b.String()
}

func TestWriteMarkdown(t *testing.T) {
	records := join(play(2, "m", fault, Hit), play(1, "m", fault, Infra), play(3, "m", twin, CorrectReject))
	records[2].Reason = "attach: a|b <script>\nsecond line"
	f := folderOf(rcaOnly, records...)
	f.Env = Env{KernelRelease: "6.18.44", CPUs: 2}
	f.Incomplete = true
	f.Warnings = []string{"line 3 is torn"}
	text := markdownOf(t, f)
	for _, want := range []string{
		"## ebpf-rca " + testRunID + ": runs are lost or broken\n",
		"**Incomplete:**",
		"- 1 of 6 runs broke down\n",
		"Kernel 6.18.44 · CPUs 2",
		"- line 3 is torn\n",
		"### Reasons to doubt the figures\n\n- m: nobody waits in 3 of 3 twins",
		"| m | rca | 6 | 1.00 [0.34,1.00] | 0.00 | 1.00 | - | 0.00 | 0.0% | 0.0% | 0.0% | - | 83% | 1 infra |\n",
		`- run 2, m, fault, seed 3: infra: attach: a\|b &lt;script&gt; second line`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "- run "), "right answers are not listed")
	assert.Equal(t, 1, strings.Count(text, "runs broke down"), "a reason is told once")
}

func TestMarkdownTellsThresholds(t *testing.T) {
	f := &Folder{Plan: Plan{Analyzers: rcaOnly}, Records: join(
		atDose("mutex-hold", ms(1), 0, 10), atDose("mutex-hold", ms(4), 5, 5), atDose("mutex-hold", ms(16), 10, 0),
	)}
	for _, r := range f.Records {
		f.Plan.Runs = append(f.Plan.Runs, r.Run)
	}
	text := markdownOf(t, f)
	assert.Contains(t, text, "\n### From which hold time on faults are found, with the 95 % interval of the bootstrap\n")
	assert.Contains(t, text, "\n| mutex | rca | 0 | 30 | 4ms [", "of all numbers of contenders together")
	assert.Contains(t, text, "] | isotonic |\n")

	assert.NotContains(t, markdownOf(t, folderOf(rcaOnly, play(2, "m", fault, Hit)...)), "### From which")
}

func TestMarkdownTellsThePart(t *testing.T) {
	plan := cut(t, onePlan(t, 2), 2, 2)
	text := markdownOf(t, &Folder{Plan: plan})
	assert.Contains(t, text, "\nThis is shard 2/2 of plan "+plan.ID()[:12]+".\n")
}

func TestMarkdownStaysSmall(t *testing.T) {
	records := play(2000, "m", fault, Infra)
	for i := range records {
		records[i].Reason = strings.Repeat("y", 1000)
	}
	text := markdownOf(t, folderOf(rcaOnly, records...))
	assert.Less(t, len(text), MaxMarkdown)
	assert.Greater(t, len(text), MaxMarkdown-2000)
	assert.True(t, strings.HasSuffix(text, "has grown too large._\n"))
	assert.Contains(t, text, "| all | rca |", "the table comes before what is cut")
}
