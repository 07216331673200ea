// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func files(content map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range content {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestReadEnv(t *testing.T) {
	const clock = "sys/devices/system/clocksource/clocksource0/"
	env := ReadEnv(files(map[string]string{
		"proc/sys/kernel/osrelease":     "6.18.44-fc-v782\n",
		"proc/sys/kernel/version":       "#1 SMP PREEMPT_DYNAMIC @0\n",
		"proc/config.gz":                gzipped(t, "CONFIG_BPF=y\n"),
		"boot/config-6.18.44-fc-v782":   "another\n",
		"proc/cmdline":                  "console=ttyS0 quiet\n",
		"etc/os-release":                "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
		"proc/cpuinfo":                  "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor\n",
		clock + "current_clocksource":   "tsc\n",
		clock + "available_clocksource": "tsc kvm-clock \n",
		"sys/devices/system/cpu/online": "0-1,4\n",
		"proc/loadavg":                  "0.25 0.50 1.75 2/345 6789\n",
		"proc/stat":                     "cpu  60 0 20 10 0 0 0 10 5 5\ncpu0 1 2 3\n",
	}), Build{Version: "v1", Commit: "abc", ObjectHash: "0f"})

	steal := 0.1
	assert.Equal(t, Env{
		Schema:        EnvSchema,
		KernelRelease: "6.18.44-fc-v782",
		KernelVersion: "#1 SMP PREEMPT_DYNAMIC @0",
		ConfigHash:    "447b90c944e91f1cf0734ef97fc17428396cdceb9fbd15f7b2deef7dbc7c5cbe",
		CommandLine:   "console=ttyS0 quiet",
		Distribution:  "Debian GNU/Linux 12 (bookworm)",
		Architecture:  runtime.GOARCH,
		Accel:         "kvm",
		ClockSource:   "tsc",
		CPUs:          3,
		Preemption:    "dynamic",
		Load:          []float64{.25, .5, 1.75},
		Steal:         &steal,
		ToolVersion:   "v1",
		ToolCommit:    "abc",
		ObjectHash:    "0f",
		GoVersion:     runtime.Version(),
	}, env)
}

func TestReadEnvLeavesOutWhatIsUnknown(t *testing.T) {
	data, err := json.Marshal(ReadEnv(fstest.MapFS{}, Build{}))
	require.NoError(t, err)
	var keys map[string]any
	require.NoError(t, json.Unmarshal(data, &keys))
	assert.Equal(t, map[string]any{
		"schema": EnvSchema, "architecture": runtime.GOARCH, "go_version": runtime.Version(),
	}, keys)
}

func TestReadEnvOfThisMachine(t *testing.T) {
	env := ReadEnv(os.DirFS("/"), Build{})
	_, err := ParseKernel(env.KernelRelease)
	assert.NoError(t, err)
	assert.NotZero(t, env.CPUs)
	assert.Len(t, env.Load, 3)
	assert.NotNil(t, env.Steal)
}

func TestAccel(t *testing.T) {
	for want, cpuinfo := range map[string]string{
		"tcg":  "model name\t: QEMU TCG CPU version 2.5+\nflags\t\t: fpu hypervisor\n",
		"none": "model name\t: Xeon\nflags\t\t: fpu vme\n",
		"":     "model name\t: Xeon\nflags\t\t: fpu hypervisor\n",
	} {
		assert.Equal(t, want, machine{files(map[string]string{"proc/cpuinfo": cpuinfo})}.accel())
	}
}

func TestPreemption(t *testing.T) {
	for version, want := range map[string]string{
		"#1 SMP PREEMPT_RT Debian 6.12.57-1 (2025-11-05)": "rt",
		"#1 SMP PREEMPT Debian":                           "full",
		"#1 SMP Debian":                                   "",
	} {
		assert.Equal(t, want, machine{fstest.MapFS{}}.preemption(version))
	}
	root := files(map[string]string{"sys/kernel/debug/sched/preempt": "none voluntary (full) lazy\n"})
	assert.Equal(t, "full", machine{root}.preemption("#1 SMP PREEMPT_DYNAMIC"))
	root = files(map[string]string{"sys/kernel/realtime": "1\n"})
	assert.Equal(t, "rt", machine{root}.preemption("#1 SMP PREEMPT"))
}

func TestMalformedSources(t *testing.T) {
	for _, list := range []string{"", "x", "3-1", "0-", "0,,1"} {
		assert.Zero(t, countCPUs(list), "%q", list)
	}
	assert.Nil(t, parseLoad("0.1 0.2"))
	assert.Nil(t, parseLoad("a b c"))
	assert.Nil(t, parseLoad("NaN 1 1"))
	assert.Nil(t, parseSteal("cpu 0 0 0 0 0 0 0 0"))
	assert.Nil(t, parseSteal("cpu 1 2 3"))
}

func TestDecodeEnv(t *testing.T) {
	_, err := DecodeEnv(strings.NewReader(`{"schema":"ebpf-rca/env/9"}`))
	assert.ErrorIs(t, err, ErrSchema)
	assert.ErrorContains(t, err, "ebpf-rca/env/9")
	_, err = DecodeEnv(strings.NewReader("{"))
	assert.ErrorContains(t, err, "read environment")
}
