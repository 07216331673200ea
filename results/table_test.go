// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteTable(t *testing.T) {
	records := join(play(4, "mutex-hold", fault, Hit), play(1, "mutex-hold", fault, Invalid), play(5, "mutex-hold", twin, CorrectReject),
		play(5, "control-quiet", control, Unsupported))
	for i := range records[:4] {
		records[i].Blame = Blame{Error: .012, TVDistance: .03}
		records[i].Agreement = Agreement{Ledger: 100 * time.Millisecond, Seen: 96 * time.Millisecond, Threads: 9}
		if i > 1 {
			records[i].Dropped = []string{"machine too busy"}
		}
	}
	var b strings.Builder
	require.NoError(t, WriteTable(&b, Score(folderOf(rcaOnly, records...))))
	assert.Equal(t, strings.TrimLeft(`
SCENARIO       ANALYZER  RUNS  AC@1              FRAME  CLASS  CHAIN  FAR   BLAME ERR  P90   TV    WAIT ERR  VALID  NOT AS IT SHOULD BE
mutex-hold     rca       10    1.00 [0.51,1.00]  0.00   1.00   -      0.00  1.2%       1.2%  3.0%  4.0%      90%    1 invalid, 2 played again
control-quiet  rca       5     -                 -      -      -      -     -          -     -     -         -      5 unsupported
all            rca       15    1.00 [0.51,1.00]  0.00   1.00   -      0.00  1.2%       1.2%  3.0%  4.0%      90%    1 invalid, 5 unsupported, 2 played again
`, "\n"), b.String())
}

// deafWriter takes nothing.
type deafWriter struct{}

var errDeaf = errors.New("deaf")

func (deafWriter) Write([]byte) (int, error) { return 0, errDeaf }

func TestExportsReportWriteErrors(t *testing.T) {
	f := folderOf(rcaOnly, play(1, "m", fault, Hit)...)
	s := Score(f)
	assert.ErrorIs(t, WriteTable(deafWriter{}, s), errDeaf)
	assert.ErrorIs(t, WriteBench(deafWriter{}, f), errDeaf)
	assert.ErrorIs(t, WriteJUnit(deafWriter{}, f), errDeaf)
	assert.ErrorIs(t, WriteMarkdown(deafWriter{}, f, s), errDeaf)
}
