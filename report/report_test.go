// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/os2026/ebpf-rca/results"
)

var update = flag.Bool("update", false, "write the golden page anew")

const (
	fixture = "testdata/run"
	golden  = "testdata/run.golden.html"
)

// render is the page of folders.
func render(t testing.TB, o Options, dirs ...string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, Open(dirs), o))
	return b.String()
}

// edited is a copy of the fixture, in which the file of a name is changed.
func edited(t testing.TB, name string, change func(string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(fixture)))
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(change(string(text))), 0o644))
	return dir
}

func replace(old, with string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, with) }
}

func TestTheGoldenPage(t *testing.T) {
	page := render(t, Options{}, fixture)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(page), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.True(t, string(want) == page, "the page differs from %s: look at it, then run go test ./report -update", golden)
	assert.Equal(t, page, render(t, Options{}, fixture), "equal folders give an equal page")
}

func TestNothingIsAskedForFromOutside(t *testing.T) {
	page := render(t, Options{Timelines: All}, fixture)
	for _, s := range []string{"<script", "http:", "https:", "@import", "src=", "javascript:"} {
		assert.NotContains(t, page, s)
	}
	assert.Contains(t, page, "default-src 'none'")
	assert.NotContains(t, page, "ZgotmplZ", "the template engine refused a value")
}

func TestFailuresComeFirstAndOpen(t *testing.T) {
	page := render(t, Options{}, fixture)
	miss := strings.Index(page, `id="f1-run-2" open`)
	alarm := strings.Index(page, `id="f1-run-3" open`)
	void := strings.Index(page, `id="f1-run-4">`)
	hit := strings.Index(page, `id="f1-run-0">`)
	assert.Less(t, 0, miss)
	assert.Less(t, miss, alarm)
	assert.Less(t, alarm, void)
	assert.Less(t, void, hit)
	assert.NotContains(t, page, `id="f1-run-1"`, "a run that went well is told in one line")
	assert.Contains(t, page, "the fault did not bite: 12 ms of root blame a second")
	assert.Contains(t, page, "planned, and left no record")
	assert.Contains(t, page, "Incomplete: not every planned run left a record")
}

func TestTimelinesAreDrawnAsAsked(t *testing.T) {
	for choice, want := range map[Timelines]int{"": 3, Failures: 3, All: 4, None: 0} {
		page := render(t, Options{Timelines: choice}, fixture)
		assert.Equal(t, want, strings.Count(page, `<table class="timeline">`), "%q", choice)
	}
}

// Names of threads, functions, scenarios and kernels come from outside.
func TestHostileStringsStayText(t *testing.T) {
	const evil = `</style></svg><script>alert(1)</script>\" onload=\"x`
	records := edited(t, results.RecordsFile, func(s string) string {
		for _, old := range []string{`"comm":"w1"`, `"function":"hold_sleeping"`, `"symbol":"table+0x0"`, `"reason":"the fault did not bite`, `"label":"last-waker"`, `"module":"mutex-hold"`} {
			require.Contains(t, s, old)
			s = strings.ReplaceAll(s, old, old[:len(old)-1]+evil+`"`)
		}
		return s
	})
	env := edited(t, results.EnvFile, replace(`6.18.44`, evil))
	plan := edited(t, results.PlanFile, func(s string) string { return strings.ReplaceAll(s, "mutex-hold", evil) })
	page := render(t, Options{Timelines: All}, records, env, plan, "/no/<script>x")
	assert.NotContains(t, page, "<script")
	assert.NotContains(t, page, `onload="x`)
	assert.Equal(t, 1, strings.Count(page, "</style>"))
	assert.Contains(t, page, "&lt;script&gt;alert(1)&lt;/script&gt;")
}

// What is missing is told in its place, and the rest is rendered.
func TestWhatIsMissingIsTold(t *testing.T) {
	for name, test := range map[string]struct{ dir, says string }{
		"ledger": {func() string {
			dir := edited(t, results.PlanFile, func(s string) string { return s })
			require.NoError(t, os.Remove(filepath.Join(dir, "ledgers/2.json.zst")))
			return dir
		}(), "No timeline: read ledgers/2.json.zst"},
		"ledger cut":      {edited(t, "ledgers/2.json.zst", func(s string) string { return s[:len(s)/2] }), "No timeline: decompress ledgers/2.json.zst"},
		"ledger outside":  {edited(t, results.RecordsFile, replace("ledgers/2.json.zst", "../../../etc/passwd")), "the name leaves the folder"},
		"no ledger":       {edited(t, results.RecordsFile, replace("ledgers/2.json.zst", "")), "The run left no ledger"},
		"line torn":       {edited(t, results.RecordsFile, func(s string) string { return s[:len(s)-9] }), "is torn: its record is lost"},
		"line damaged":    {edited(t, results.RecordsFile, func(s string) string { return "{\n" + s }), "line 1 is damaged"},
		"environment":     {edited(t, results.EnvFile, func(string) string { return "{" }), "environment unknown"},
		"overhead":        {edited(t, results.OverheadFile, replace("overhead/1", "overhead/9")), "overhead, line 1: unknown schema"},
		"all the records": {edited(t, results.RecordsFile, func(string) string { return "" }), "6 of 6 planned runs left no record"},
	} {
		page := render(t, Options{}, test.dir)
		assert.Contains(t, page, test.says, name)
		assert.Contains(t, page, "Every run in one line", name)
	}
}

func TestAnUnreadableFolderDoesNotHideTheOthers(t *testing.T) {
	future := edited(t, results.PlanFile, replace(results.PlanSchema, "ebpf-rca/plan/2"))
	page := render(t, Options{}, future, fixture)
	assert.Contains(t, page, "unknown schema &#34;ebpf-rca/plan/2&#34;")
	assert.Contains(t, page, `id="f1-run-2" open`)
	assert.Contains(t, render(t, Options{}, future), "Not read", "and no other")
}

func TestSeveralKernels(t *testing.T) {
	old := edited(t, results.EnvFile, func(s string) string {
		return strings.NewReplacer("6.18.44", "5.10.0-30-amd64", `"tsc"`, `"hpet"`).Replace(s)
	})
	page := render(t, Options{}, fixture, old)
	assert.Less(t, strings.Index(page, `id="f1-title">5.10.0-30-amd64`), strings.Index(page, `id="f2-title">6.18.44`))
	assert.Contains(t, page, "Kernels side by side")
	assert.Regexp(t, `6\.18\.44<small>[^<]*, the base`, page, "the first that was named")
	assert.Regexp(t, `clock_source</th><td class="text">hpet</td><td class="text">tsc</td>`, page)

	other := edited(t, results.PlanFile, replace(`"rca"`, `"mine"`))
	require.NoError(t, os.WriteFile(filepath.Join(other, results.PlanFile), []byte(strings.ReplaceAll(mustRead(t, filepath.Join(other, results.PlanFile)), `"last-waker"`, `"yours"`)), 0o644))
	assert.Contains(t, render(t, Options{}, fixture, other), "no analyser is in all of them")
}

func mustRead(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// Three hundred runs that all went wrong, of as many threads as are shown.
func TestAPageOfManyFailuresStaysSmall(t *testing.T) {
	dir := busyFolder(t, 300)
	page := render(t, Options{}, dir)
	assert.Less(t, len(page), 10<<20)
	assert.Contains(t, page, "without a timeline: the page has no room for more")
	assert.Less(t, 100, strings.Count(page, `<table class="timeline">`))
	assert.Equal(t, 300, strings.Count(page, `<details class="run bad"`), "each is still told of")
}
