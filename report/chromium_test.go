// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// browse opens a page in headless Chromium, without a network, and returns the document
// that comes of it and what Chromium logs.
func browse(t *testing.T, page string, flags ...string) (document, log string) {
	t.Helper()
	browser := chromium(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom",
	}, flags...)
	cmd := exec.CommandContext(ctx, browser, append(args, "file://"+path)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	return stdout.String(), stderr.String()
}

// chromium finds the browser, or skips: the page needs none to be made.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine: apt-get install chromium")
	return ""
}

// complaint is what Chromium logs of a page: errors and warnings of the console, among
// them requests that the content security policy refuses or that find no host.
var complaint = regexp.MustCompile(`:CONSOLE[:(].*`)

func TestChromiumHasNothingToComplainOf(t *testing.T) {
	for name, flags := range map[string][]string{
		"light": {"--blink-settings=preferredColorScheme=1"},
		"dark":  {"--blink-settings=preferredColorScheme=0"},
		"phone": {"--window-size=360,740"},
	} {
		t.Run(name, func(t *testing.T) {
			document, log := browse(t, render(t, Options{Timelines: All}, fixture), flags...)
			assert.Contains(t, document, `<table class="timeline">`)
			assert.Equal(t, strings.Count(document, "<table"), strings.Count(document, "</table>"))
			assert.Empty(t, complaint.FindAllString(log, -1))
		})
	}
}

// What the test above looks for is seen when it is there.
func TestChromiumComplainsOfRequestsAndScripts(t *testing.T) {
	page := render(t, Options{}, fixture)
	for name, inserted := range map[string]string{
		"request": `<img src="https://example.org/x.png">`,
		"script":  `<script>console.log("ran")</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			_, log := browse(t, strings.Replace(page, "<body>", "<body>"+inserted, 1))
			found := complaint.FindAllString(log, -1)
			require.Len(t, found, 1, log)
			assert.Contains(t, found[0], "Content Security Policy")
		})
	}
}

// Print shows what is folded: the page is as long as if all of it had been opened.
func TestChromiumPrintsWhatIsFolded(t *testing.T) {
	page := render(t, Options{Timelines: All}, fixture)
	opened := strings.ReplaceAll(strings.ReplaceAll(page, "<details open", "<details"), "<details", "<details open")
	folded := strings.Replace(page, "details::details-content", "details::nothing", 1)
	require.NotEqual(t, page, folded)
	all := printed(t, opened)
	assert.Equal(t, all, printed(t, page))
	assert.Less(t, printed(t, folded), all)
}

// printed is how many sheets of paper a page takes.
func printed(t *testing.T, page string) int {
	path := filepath.Join(t.TempDir(), "report.pdf")
	browse(t, page, "--print-to-pdf="+path)
	pdf, err := os.ReadFile(path)
	require.NoError(t, err)
	return len(sheet.FindAll(pdf, -1))
}

// sheet is the head of a page in a PDF.
var sheet = regexp.MustCompile(`/Type /Page\b`)

// A phone scrolls a page in one direction only.
func TestChromiumFitsThePageToAPhone(t *testing.T) {
	page := render(t, Options{Timelines: All}, fixture)
	const probe = `<script>addEventListener("load", () => document.title = "width " + document.documentElement.scrollWidth)</script>`
	page = strings.Replace(page, "default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';", 1)
	page = strings.Replace(page, "</body>", probe+"</body>", 1)
	// A frame is as narrow as it is told; a window of Chromium is not.
	frame := `<!DOCTYPE html><title>x</title><iframe width="360" height="740" style="border:0" srcdoc="` +
		strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(strings.Replace(page, `document.title =`, `parent.document.title =`, 1)) + `"></iframe>`
	document, _ := browse(t, frame)
	assert.Contains(t, document, "<title>width 360</title>")
}
