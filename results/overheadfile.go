// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/os2026/ebpf-rca/contention"
)

// OverheadSchema names the form of the lines of OverheadFile.
const OverheadSchema = "ebpf-rca/overhead/1"

// OverheadFile holds what observing cost, one OverheadLine a line.
const OverheadFile = "overhead.jsonl"

// OverheadLine is what one observer cost one workload.
type OverheadLine struct {
	Schema     string             `json:"schema"`
	Workload   string             `json:"workload"`
	Observer   string             `json:"observer"`
	Ratio      float64            `json:"ratio"`
	CI         [2]float64         `json:"ci"`
	Pairs      int                `json:"pairs"`
	NoiseFloor [2]float64         `json:"noise_floor"`
	NsPerEvent map[string]float64 `json:"ns_per_event,omitempty"`
	Loss       contention.Loss    `json:"loss"`
}

// WithinNoise says that unobserved runs differ as much from one another.
func (l OverheadLine) WithinNoise() bool {
	return l.NoiseFloor[0] <= l.Ratio && l.Ratio <= l.NoiseFloor[1]
}

// ReadOverhead reads an OverheadFile. A line that is damaged or of another schema is
// left out and told in the warnings.
func ReadOverhead(r io.Reader) (lines []OverheadLine, warnings []string, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, fmt.Errorf("read overhead, line %d: %w", number, err)
		}
		if len(text) > 0 {
			line, bad := decodeOverhead(text)
			if bad == nil {
				lines = append(lines, line)
			} else {
				warnings = append(warnings, fmt.Sprintf("overhead, line %d: %v", number, bad))
			}
		}
		if err != nil {
			return lines, warnings, nil
		}
	}
}

func decodeOverhead(text []byte) (OverheadLine, error) {
	if err := checkSchema(text, OverheadSchema); err != nil {
		return OverheadLine{}, err
	}
	var line OverheadLine
	err := json.Unmarshal(text, &line)
	return line, err
}
