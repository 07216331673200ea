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

// OverheadLine is what one observer cost one workload, or why that is not known.
type OverheadLine struct {
	Schema   string `json:"schema"`
	Workload string `json:"workload"`
	Observer string `json:"observer"`
	// Absent says what is missing, of the workload or of the observer. There are then no
	// figures.
	Absent string `json:"absent,omitempty"`
	// Ratio is the CPU time of the same work observed to that unobserved.
	Ratio float64    `json:"ratio,omitempty"`
	CI    [2]float64 `json:"ci,omitzero"`
	Pairs int        `json:"pairs,omitempty"`
	// NoiseFloor is the interval of the ratio of unobserved runs to one another.
	NoiseFloor [2]float64 `json:"noise_floor,omitzero"`
	// Throughput and P99 are ratios, too: of the work done in a second, and of the 99th
	// percentile of the time to an answer.
	Throughput *OverheadRatio `json:"throughput,omitempty"`
	P99        *OverheadRatio `json:"p99,omitempty"`
	// TimesEmpty is how many times what empty programs add is added.
	TimesEmpty *OverheadRatio `json:"times_empty,omitempty"`
	// NsPerEvent is the mean run time of each program, by its name; EventsPerSecond is how
	// often they all ran, and ProgramShare the share of one CPU that they took.
	NsPerEvent      map[string]float64 `json:"ns_per_event,omitempty"`
	EventsPerSecond float64            `json:"events_per_s,omitempty"`
	ProgramShare    float64            `json:"program_share,omitempty"`
	// CPUShare is what the observer's process used beside, as a share of one CPU.
	CPUShare float64         `json:"cpu_share,omitempty"`
	RSSBytes uint64          `json:"rss_bytes,omitempty"` // at its peak
	MapBytes uint64          `json:"map_bytes,omitempty"`
	Loss     contention.Loss `json:"loss"`
}

// OverheadRatio is a ratio with its 95 % interval.
type OverheadRatio struct {
	Ratio float64    `json:"ratio"`
	CI    [2]float64 `json:"ci"`
}

// NoiseLimit is the width of a noise floor above which what lies inside it says nothing.
const NoiseLimit = 0.05

// WithinNoise says that unobserved runs differ as much from one another.
func (l OverheadLine) WithinNoise() bool {
	return l.NoiseFloor[0] <= l.Ratio && l.Ratio <= l.NoiseFloor[1]
}

// TooNoisy says that unobserved runs differ too much from one another for small costs to
// be seen.
func (l OverheadLine) TooNoisy() bool {
	return l.NoiseFloor[1]-l.NoiseFloor[0] > NoiseLimit
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
