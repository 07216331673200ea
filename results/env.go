// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"
	"strconv"
	"strings"
)

// EnvSchema is the schema of env.json.
const EnvSchema = "ebpf-rca/env/1"

// Env is what the runs of a folder had in common. What could not be found out is
// absent.
type Env struct {
	Schema        string `json:"schema"`
	KernelRelease string `json:"kernel_release,omitempty"` // uname -r
	KernelVersion string `json:"kernel_version,omitempty"` // uname -v
	// ConfigHash is the SHA-256 of the kernel's configuration.
	ConfigHash   string `json:"config_hash,omitempty"`
	CommandLine  string `json:"command_line,omitempty"`
	Distribution string `json:"distribution,omitempty"`
	Architecture string `json:"architecture,omitempty"` // as Go names it
	// Accel is what the CPU is made of: none for bare metal, kvm or tcg.
	Accel       string `json:"accel,omitempty"`
	QEMUVersion string `json:"qemu_version,omitempty"`
	ClockSource string `json:"clock_source,omitempty"`
	CPUs        int    `json:"cpus,omitempty"`
	// Preemption is none, voluntary, full, lazy, rt, or dynamic where the choice
	// made at boot cannot be read.
	Preemption string `json:"preemption,omitempty"`
	// Load is the load average over one, five and fifteen minutes.
	Load []float64 `json:"load,omitempty"`
	// Steal is the share of CPU time that the host took since boot.
	Steal       *float64 `json:"steal,omitempty"`
	ToolVersion string   `json:"tool_version,omitempty"`
	ToolCommit  string   `json:"tool_commit,omitempty"`
	ObjectHash  string   `json:"object_hash,omitempty"`
	GoVersion   string   `json:"go_version,omitempty"`
	// Speed is nil if it was not measured.
	Speed *Speed `json:"speed,omitempty"`
	// Unseen is what the observer did not see: the kernel does not tell, or was not asked.
	Unseen []string `json:"unseen,omitempty"`
	// Shards are the environments of the parts that a folder was merged from. The
	// fields above are then what all of them have in common.
	Shards []ShardEnv `json:"shards,omitempty"`
}

// Build is what a program knows of itself.
type Build struct {
	Version, Commit, ObjectHash string
}

// ReadEnv describes the machine whose file system is root, with /proc and /sys in
// it, and the program that asks. QEMUVersion is the caller's to set: a guest cannot
// see it.
func ReadEnv(root fs.FS, build Build) Env {
	m := machine{root}
	release := m.line("proc/sys/kernel/osrelease")
	version := m.line("proc/sys/kernel/version")
	return Env{
		Schema:        EnvSchema,
		KernelRelease: release,
		KernelVersion: version,
		ConfigHash:    m.configHash(release),
		CommandLine:   m.line("proc/cmdline"),
		Distribution:  m.distribution(),
		Architecture:  runtime.GOARCH,
		Accel:         m.accel(),
		ClockSource:   m.line("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		CPUs:          countCPUs(m.line("sys/devices/system/cpu/online")),
		Preemption:    m.preemption(version),
		Load:          parseLoad(m.line("proc/loadavg")),
		Steal:         parseSteal(m.line("proc/stat")),
		ToolVersion:   build.Version,
		ToolCommit:    build.Commit,
		ObjectHash:    build.ObjectHash,
		GoVersion:     runtime.Version(),
	}
}

// DecodeEnv reads an env.json.
func DecodeEnv(r io.Reader) (Env, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxLine))
	if err != nil {
		return Env{}, fmt.Errorf("read environment: %w", err)
	}
	if err := checkSchema(data, EnvSchema); err != nil {
		return Env{}, fmt.Errorf("read environment: %w", err)
	}
	var env Env
	if err := json.Unmarshal(data, &env); err != nil {
		return Env{}, fmt.Errorf("read environment: %w", err)
	}
	return env, nil
}

// machine answers with nothing where a file is absent or unreadable.
type machine struct {
	root fs.FS
}

func (m machine) read(name string) []byte {
	data, err := fs.ReadFile(m.root, name)
	if err != nil {
		return nil
	}
	return data
}

// line returns the first line of a file.
func (m machine) line(name string) string {
	first, _, _ := strings.Cut(string(m.read(name)), "\n")
	return strings.TrimSpace(first)
}

// configHash prefers the configuration that the kernel carries.
func (m machine) configHash(release string) string {
	config := gunzip(m.read("proc/config.gz"))
	if config == nil && fs.ValidPath(release) {
		config = m.read("boot/config-" + release)
	}
	if config == nil {
		return ""
	}
	sum := sha256.Sum256(config)
	return hex.EncodeToString(sum[:])
}

func gunzip(data []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, err := io.ReadAll(io.LimitReader(r, maxLine))
	if err != nil {
		return nil
	}
	return out
}

func (m machine) distribution() string {
	for line := range strings.Lines(string(m.read("etc/os-release"))) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// accel tells an emulated CPU by its model's name, KVM by its clock, and bare metal
// by the flag that every x86 hypervisor sets. Other machines are unknown.
func (m machine) accel() string {
	cpu := string(m.read("proc/cpuinfo"))
	clocks := m.line("sys/devices/system/clocksource/clocksource0/available_clocksource")
	switch {
	case strings.Contains(cpu, "QEMU TCG"):
		return "tcg"
	case strings.Contains(clocks, "kvm-clock"):
		return "kvm"
	case hasFlags(cpu) && !strings.Contains(cpu, " hypervisor"):
		return "none"
	default:
		return ""
	}
}

// hasFlags reports whether cpuinfo is of the x86 form.
func hasFlags(cpuinfo string) bool { return strings.Contains(cpuinfo, "\nflags\t") }

func (m machine) preemption(version string) string {
	if m.line("sys/kernel/realtime") == "1" {
		return "rt"
	}
	if model := chosen(m.line("sys/kernel/debug/sched/preempt")); model != "" {
		return model
	}
	for field := range strings.FieldsSeq(version) {
		switch field {
		case "PREEMPT_RT":
			return "rt"
		case "PREEMPT_DYNAMIC":
			return "dynamic"
		case "PREEMPT":
			return "full"
		case "PREEMPT_LAZY":
			return "lazy"
		}
	}
	return ""
}

// chosen returns the word in brackets of a list such as "none (voluntary) full".
func chosen(list string) string {
	for word := range strings.FieldsSeq(list) {
		if inside, ok := strings.CutPrefix(word, "("); ok {
			return strings.TrimSuffix(inside, ")")
		}
	}
	return ""
}

// countCPUs counts a list such as 0-3,8; 0 if it is not one.
func countCPUs(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, errFirst := strconv.ParseUint(from, 10, 31)
		last, errLast := strconv.ParseUint(to, 10, 31)
		if errFirst != nil || errLast != nil || last < first {
			return 0
		}
		n += int(last-first) + 1
	}
	return n
}

func parseLoad(line string) []float64 {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return nil
	}
	return parseFloats(fields[:3])
}

// parseSteal takes the eighth of the times that /proc/stat gives for all CPUs; the
// ninth and tenth, of guests, are in the first two already.
func parseSteal(line string) *float64 {
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return nil
	}
	times := parseFloats(fields[1:9])
	total := 0.0
	for _, t := range times {
		total += t
	}
	if total <= 0 {
		return nil
	}
	steal := times[7] / total
	return &steal
}

// parseFloats returns nil unless all fields are numbers that JSON can hold.
func parseFloats(fields []string) []float64 {
	out := make([]float64, len(fields))
	for i, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(v) || v < 0 || v > 1e18 {
			return nil
		}
		out[i] = v
	}
	return out
}
