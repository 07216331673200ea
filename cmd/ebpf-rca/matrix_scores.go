// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/os2026/ebpf-rca/report"
	"github.com/os2026/ebpf-rca/results"
)

// kernelFolders are the folders of a matrix, graded again.
type kernelFolders struct {
	dir     string
	kernels []results.MatrixKernel
	folders []*results.Folder
}

func openMatrix(dir string) (*kernelFolders, error) {
	list, err := results.ReadMatrix(dir)
	if err != nil {
		return nil, err
	}
	k := &kernelFolders{dir: dir, kernels: list.Kernels}
	for _, kernel := range list.Kernels {
		folder, err := openGraded(filepath.Join(dir, kernel.Folder))
		if err != nil {
			return nil, err
		}
		k.folders = append(k.folders, folder)
	}
	return k, nil
}

// isMatrix reports whether a folder holds those of several kernels.
func isMatrix(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, results.MatrixFile))
	return !errors.Is(err, fs.ErrNotExist)
}

// concludeMatrix scores all folders of a matrix, writes the exports of each and a page of
// all, prints a line for each kernel, and turns the worst into the exit code.
func concludeMatrix(dir string, stdout, stderr io.Writer) error {
	k, err := openMatrix(dir)
	if err != nil {
		return err
	}
	var inputs []report.Input
	for _, folder := range k.folders {
		if err := errors.Join(writeExports(folder), appendStepSummary(folder)); err != nil {
			return err
		}
		inputs = append(inputs, report.Input{Dir: folder.Dir, Folder: folder})
	}
	var page bytes.Buffer
	if err := report.Write(&page, inputs, report.Options{}); err != nil {
		return err
	}
	if err := results.PutFile(dir, reportFile, page.Bytes(), results.OwnerFromEnv(os.Getenv)); err != nil {
		return err
	}
	return k.tell(stdout, stderr)
}

func scoreMatrix(dir string, asJSON bool, stdout, stderr io.Writer) error {
	k, err := openMatrix(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return errors.Join(writeJSON(stdout, k.scores()), k.outcome(stderr))
	}
	return k.tell(stdout, stderr)
}

func (k *kernelFolders) scores() []results.KernelScores {
	var all []results.KernelScores
	for i, folder := range k.folders {
		all = append(all, results.KernelScores{Kernel: k.kernels[i], Env: folder.Env, Scores: results.Score(folder)})
	}
	return all
}

// tell prints a line for each kernel and what is not as it should be.
func (k *kernelFolders) tell(stdout, stderr io.Writer) error {
	if err := results.WriteKernels(stdout, k.scores()); err != nil {
		return err
	}
	return k.outcome(stderr)
}

// outcome tells what is not as it should be and turns the worst into the exit code.
func (k *kernelFolders) outcome(stderr io.Writer) error {
	code := exitGood
	for _, kernel := range k.scores() {
		outcome := kernel.Scores.Outcome()
		for _, reason := range outcome.Reasons {
			fmt.Fprintf(stderr, "%s: %s\n", kernel.Kernel.Folder, reason)
		}
		code = graver(code, outcome.Code)
		if kernel.Kernel.GivenUp != "" {
			fmt.Fprintf(stderr, "%s: given up: %s\n", kernel.Kernel.Folder, kernel.Kernel.GivenUp)
			code = graver(code, exitInfra)
		}
	}
	if code == exitGood {
		return nil
	}
	return &exit{code: code}
}

// graver is the exit code that says more of what is wrong: what broke down comes before
// what was answered wrongly, for it may be why, and both before what could not be tried.
func graver(a, b int) int {
	order := []int{exitGood, exitNothing, exitBelow, exitInfra}
	for i := len(order) - 1; i >= 0; i-- {
		if a == order[i] || b == order[i] {
			return order[i]
		}
	}
	return exitInfra
}
