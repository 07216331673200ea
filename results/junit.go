// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/xml"
	"fmt"
	"io"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
}

// WriteJUnit exports the runs of the first analyser, the one that decides the
// outcome, as JUnit XML: a suite a scenario, a case a run. A miss or false alarm is
// a failure, an unsupported run is skipped, any other that was not graded is an
// error. Where doses were varied, a fault that was too weak to bite or to be found counts
// as skipped: it does not speak against the run.
func WriteJUnit(w io.Writer, f *Folder) error {
	suites := junitSuites{Name: "ebpf-rca " + f.Plan.RunID}
	if len(f.Plan.Analyzers) > 0 {
		for _, scenario := range f.Plan.Scenarios() {
			suites.add(newSuite(scenario, f.Select(scenario, f.Plan.Analyzers[0]), f.Plan.Swept()))
		}
	}
	data, err := xml.MarshalIndent(suites, "", " ")
	if err != nil {
		return fmt.Errorf("encode JUnit XML: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, data); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

func (s *junitSuites) add(suite junitSuite) {
	s.Tests += suite.Tests
	s.Failures += suite.Failures
	s.Errors += suite.Errors
	s.Skipped += suite.Skipped
	s.Suites = append(s.Suites, suite)
}

func newSuite(scenario string, records []Record, swept bool) junitSuite {
	suite := junitSuite{Name: scenario, Tests: len(records)}
	for _, r := range records {
		c := newCase(r, swept)
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

func newCase(r Record, swept bool) junitCase {
	c := junitCase{
		Name:    fmt.Sprintf("%s/%s/seed=%d", r.Scenario, r.Variant, r.Seed),
		Class:   "ebpf-rca." + r.Scenario,
		Seconds: fmt.Sprintf("%.3f", r.Timing.total().Seconds()),
	}
	if swept {
		c.Name += doseKey(r.Dose)
	}
	message := &junitMessage{Type: string(r.Verdict), Message: explain(r)}
	tooWeak := swept && isFault(r) && (r.Verdict == Miss || r.Verdict == Invalid)
	switch {
	case r.Verdict == Hit || r.Verdict == CorrectReject:
	case r.Verdict == Unsupported || tooWeak:
		message.Type = "" // skipped has no type
		c.Skipped = message
	case r.Verdict == Miss || r.Verdict == FalseAlarm:
		c.Failure = message
	default:
		c.Error = message
	}
	return c
}

// explain says in one line what became of a run.
func explain(r Record) string {
	what := string(r.Verdict)
	if r.Verdict == Miss {
		what += fmt.Sprintf(", thread rank %d", r.Ranks.Thread)
	}
	if r.Verdict == FalseAlarm && len(r.Findings) > 0 {
		what += fmt.Sprintf(", %s on %s", r.Findings[0].Class, r.Findings[0].Resource.Kind)
	}
	if r.Reason != "" {
		what += ": " + oneLine(r.Reason)
	}
	return what
}
