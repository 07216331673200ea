// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// example reads a file of examples/ into v.
func example(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, v))
}

// checkCommand checks that the command takes such arguments, which all flags have a
// value in, and returns the flags. It is not carried out.
func checkCommand(t *testing.T, args []string) map[string]string {
	t.Helper()
	root := newRoot()
	cmd, _, err := root.Find(args)
	require.NoError(t, err)
	require.NotSame(t, root, cmd, "%q names no command", args)
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	root.SetArgs(args)
	require.NoError(t, root.Execute(), "%q", args)
	flags := map[string]string{}
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			flags[name] = args[i+1]
		}
	}
	return flags
}

// indexedJob is what is looked at of a Kubernetes Job.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Spec       struct {
		CompletionMode string `yaml:"completionMode"`
		Completions    int
		Template       struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Command         []string
					SecurityContext struct{ Privileged bool }          `yaml:"securityContext"`
					VolumeMounts    []struct{ Name, MountPath string } `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
	}
}

// The pods of the example play all parts of one plan, each into a folder of its own, and
// go on where they stopped.
func TestIndexedJobExample(t *testing.T) {
	var job indexedJob
	example(t, "kubernetes/indexed-job.yaml", &job)
	assert.Equal(t, []string{"batch/v1", "Job", "Indexed"}, []string{job.APIVersion, job.Kind, job.Spec.CompletionMode})
	pod := job.Spec.Template.Spec
	assert.Contains(t, []string{"Never", "OnFailure"}, pod.RestartPolicy, "a Job takes no other")
	require.Len(t, pod.Containers, 1)
	container := pod.Containers[0]
	assert.True(t, container.SecurityContext.Privileged)
	for _, mount := range container.VolumeMounts {
		assert.True(t, slices.ContainsFunc(pod.Volumes, func(v struct{ Name string }) bool { return v.Name == mount.Name }), mount.Name)
	}

	results := t.TempDir()
	var parts []string
	for index := range job.Spec.Completions {
		args := playPod(t, container.Command, results, index, 1)
		flags := checkCommand(t, args)
		parts = append(parts, flags["shard"])
		require.NoError(t, os.MkdirAll(flags["out"], 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(flags["out"], "plan.json"), nil, 0o644))
		again := checkCommand(t, playPod(t, container.Command, results, index, 0))
		assert.Equal(t, map[string]string{"resume": flags["out"]}, again)
	}
	assert.Equal(t, partsOf(job.Spec.Completions), parts)
	entries, err := os.ReadDir(results)
	require.NoError(t, err)
	assert.Len(t, entries, job.Spec.Completions, "a folder a part")
}

// playPod runs the command of a pod with a stand-in for ebpf-rca, which ends with code,
// and returns the arguments that this was given.
func playPod(t *testing.T, command []string, results string, index, code int) []string {
	t.Helper()
	dir := t.TempDir()
	stand := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$@\"\nexit %d\n", code)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ebpf-rca"), []byte(stand), 0o755))
	place := strings.NewReplacer("/opt/ebpf-rca/", dir+"/", "=/results/", "="+results+"/")
	args := slices.Clone(command[1:])
	for i := range args {
		args[i] = place.Replace(args[i])
	}
	cmd := exec.Command(command[0], args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "exit code %d is for merge to judge: %s", code, out)
	return strings.Fields(string(out))
}

func partsOf(of int) []string {
	var parts []string
	for number := 1; number <= of; number++ {
		parts = append(parts, fmt.Sprintf("%d/%d", number, of))
	}
	return parts
}

// workflow is what is looked at of a GitHub workflow.
type workflow struct {
	Jobs map[string]struct {
		Needs    string
		If       string
		Strategy struct{ Matrix struct{ Shard []int } }
		Steps    []struct{ Run string }
	}
}

// The jobs of the example play all parts of one plan, and one joins them.
func TestWorkflowExample(t *testing.T) {
	var w workflow
	example(t, "github/scenarios.yml", &w)
	shards := w.Jobs["shard"].Strategy.Matrix.Shard
	var parts []string
	for _, shard := range shards {
		for _, step := range w.Jobs["shard"].Steps {
			run := strings.ReplaceAll(step.Run, "${{ matrix.shard }}", fmt.Sprint(shard))
			if args, ours := strings.CutPrefix(run, "sudo bin/ebpf-rca "); ours {
				parts = append(parts, checkCommand(t, strings.Fields(args))["shard"])
			}
		}
	}
	assert.Equal(t, partsOf(len(shards)), parts)
	assert.Equal(t, "shard", w.Jobs["merge"].Needs)
	assert.Equal(t, "always()", w.Jobs["merge"].If, "what is missing must be told")
	merges := 0
	for _, step := range w.Jobs["merge"].Steps {
		if args, ours := strings.CutPrefix(step.Run, "bin/ebpf-rca "); ours {
			checkCommand(t, strings.Fields(args))
			merges++
		}
	}
	assert.Equal(t, 1, merges)
}
