// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/os2026/ebpf-rca/report"
	"github.com/os2026/ebpf-rca/results"
)

// format is a form in which other programs and people read a result folder.
type format struct {
	name string
	// file is where it stands in the folder.
	file  string
	write func(io.Writer, *results.Folder) error
}

const summaryFile = "summary.md"

// formats are those that are written beside the records.
func formats() []format {
	return []format{
		{"bench", "bench.txt", results.WriteBench},
		{"junit", "junit.xml", results.WriteJUnit},
		{"ctrf", "ctrf.json", results.WriteCTRF},
		{"markdown", summaryFile, func(w io.Writer, f *results.Folder) error {
			return results.WriteMarkdown(w, f, results.Score(f))
		}},
		{"html", reportFile, func(w io.Writer, f *results.Folder) error {
			return report.Write(w, []report.Input{{Dir: f.Dir, Folder: f}}, report.Options{})
		}},
		{"pprof-found", "blame-found.pb.gz", func(w io.Writer, f *results.Folder) error {
			return results.WritePprof(w, results.FoundBlame(f), 0)
		}},
		{"pprof-true", "blame-true.pb.gz", func(w io.Writer, f *results.Folder) error {
			return results.WritePprof(w, results.TrueBlame(f), 0)
		}},
		{"folded-found", "blame-found.folded", func(w io.Writer, f *results.Folder) error {
			return results.WriteFolded(w, results.FoundBlame(f))
		}},
		{"folded-true", "blame-true.folded", func(w io.Writer, f *results.Folder) error {
			return results.WriteFolded(w, results.TrueBlame(f))
		}},
	}
}

func findFormat(name string) (format, bool) {
	i := slices.IndexFunc(formats(), func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, false
	}
	return formats()[i], true
}

// writeExports writes all formats beside the records.
func writeExports(f *results.Folder) error {
	owner := results.OwnerFromEnv(os.Getenv)
	for _, format := range formats() {
		var data bytes.Buffer
		if err := format.write(&data, f); err != nil {
			return fmt.Errorf("write the exports: %w", err)
		}
		if err := results.PutFile(f.Dir, format.file, data.Bytes(), owner); err != nil {
			return err
		}
	}
	return nil
}

// appendStepSummary adds the summary of a folder to that of the CI step that runs us, if
// one does.
func appendStepSummary(f *results.Folder) error {
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	text, err := results.ReadFile(f.Dir, summaryFile)
	if err != nil {
		return fmt.Errorf("write the step summary: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the step summary: %w", err)
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
