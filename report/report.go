// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/os2026/ebpf-rca/results"
)

// Options are the choices of a page.
type Options struct {
	Timelines Timelines
}

//go:embed templates/*.html
var files embed.FS

// parsed is the template of the page.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page.html").Funcs(template.FuncMap{
		"percent": percent, "plural": plural, "share": scale, "proportion": results.Proportion.String,
		"add": func(a, b int) int { return a + b }, "marked": newMarker,
		"bound": boundText,
	}).ParseFS(files, "templates/*.html")
})

// Write renders the page of inputs.
func Write(w io.Writer, inputs []Input, o Options) error {
	t, err := parsed()
	if err != nil {
		return fmt.Errorf("parse the templates of the report: %w", err)
	}
	// Whole or not at all: half a page would pass for a page.
	var b bytes.Buffer
	if err := t.Execute(&b, newPage(inputs, o)); err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
