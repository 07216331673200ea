// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ctrfMust are the required properties, and ctrfMay all others, of each object of the
// published schema (ctrf.io, 0.1.0) that is written.
var ctrfMust = map[string][]string{
	"":                    {"reportFormat", "specVersion", "results"},
	"results":             {"tool", "summary", "tests"},
	"results.tool":        {"name"},
	"results.summary":     {"tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"},
	"results.tests":       {"name", "status", "duration"},
	"results.environment": {},
}

var ctrfMay = map[string][]string{
	"":                {"reportId", "timestamp", "generatedBy", "extra"},
	"results":         {"environment", "extra"},
	"results.tool":    {"version", "extra"},
	"results.summary": {"flaky", "suites", "duration", "extra"},
	"results.tests": {"id", "start", "stop", "suite", "message", "trace", "snippet", "line", "rawStatus", "tags", "labels",
		"type", "filePath", "retries", "retryAttempts", "flaky", "stdout", "stderr", "threadId", "parameters", "extra"},
	"results.environment": {"reportName", "appName", "appVersion", "buildId", "buildName", "buildNumber", "buildUrl",
		"repositoryName", "repositoryUrl", "commit", "branchName", "osPlatform", "osRelease", "osVersion", "testEnvironment", "extra"},
}

func checkCTRF(t *testing.T, path string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			checkCTRF(t, path, item)
		}
	case map[string]any:
		must, known := ctrfMust[path]
		require.True(t, known, "object at %q", path)
		for _, name := range must {
			assert.Contains(t, v, name, path)
		}
		for name, value := range v {
			assert.True(t, slices.Contains(must, name) || slices.Contains(ctrfMay[path], name), "%s.%s is not in the schema", path, name)
			if _, plain := value.([]any); plain && name == "suite" {
				continue
			}
			checkCTRF(t, strings.TrimPrefix(path+"."+name, "."), value)
		}
	}
}

func TestWriteCTRF(t *testing.T) {
	records := join(
		play(1, "mutex-hold", fault, Hit), play(1, "mutex-hold", twin, FalseAlarm),
		play(1, "pipe-chain", fault, Unsupported), play(1, "pipe-chain", twin, Lost))
	records[0].Timing = Timing{Setup: 100 * time.Millisecond, Capture: 2 * time.Second, Analyse: 3 * time.Millisecond}
	records[0].Dropped = []string{"busy", "busy"}
	f := folderOf(rcaOnly, records...)
	f.Plan.RunID = "20261130T131500Z-6.18.44-1f3a"
	f.Env = Env{KernelRelease: "6.18.44", ToolVersion: "v1"}
	var b bytes.Buffer
	require.NoError(t, WriteCTRF(&b, f))

	var generic any
	require.NoError(t, json.Unmarshal(b.Bytes(), &generic))
	checkCTRF(t, "", generic)

	var report ctrfReport
	require.NoError(t, json.Unmarshal(b.Bytes(), &report))
	const start = 1796044500000 // date -d 2026-11-30T13:15:00Z +%s
	assert.Equal(t, ctrfSummary{
		Tests: 4, Passed: 1, Failed: 2, Skipped: 1, Suites: 2, Start: start, Stop: start + 2103,
	}, report.Results.Summary)
	statuses := map[string]string{}
	for _, test := range report.Results.Tests {
		statuses[test.Name] = test.Status + " as " + test.RawStatus
	}
	assert.Equal(t, map[string]string{
		"mutex-hold/fault/seed=1": "passed as hit", "mutex-hold/twin/seed=1": "failed as false-alarm",
		"pipe-chain/fault/seed=1": "skipped as unsupported", "pipe-chain/twin/seed=1": "failed as lost",
	}, statuses)
	assert.Equal(t, int64(2103), report.Results.Tests[0].Duration)
	assert.Equal(t, 2, report.Results.Tests[0].Retries)
	assert.Empty(t, report.Results.Tests[0].Message)
	assert.NotEmpty(t, report.Results.Tests[1].Message)
}

func TestWriteCTRFOfNothing(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteCTRF(&b, &Folder{}))
	assert.Contains(t, b.String(), `"tests": []`, "a list is never null")
	assert.Error(t, WriteCTRF(fullWriter{}, &Folder{}))
}

// fullWriter fails.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
