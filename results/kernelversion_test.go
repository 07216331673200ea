// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parseKernel(t testing.TB, release string) Kernel {
	t.Helper()
	k, err := ParseKernel(release)
	require.NoError(t, err)
	return k
}

func TestParseKernel(t *testing.T) {
	for release, want := range map[string]Kernel{
		"6.1.0-50-cloud-amd64":            {Major: 6, Minor: 1},
		"4.18.0-513.el8.x86_64":           {Major: 4, Minor: 18},
		"6.9-rc3":                         {Major: 6, Minor: 9, RC: 3},
		"6.9.0-rc3+":                      {Major: 6, Minor: 9, RC: 3},
		"6.9.0-0.rc3.20240415git.fc41":    {Major: 6, Minor: 9, RC: 3},
		"6.16~rc7-amd64":                  {Major: 6, Minor: 16, RC: 7},
		"6.18.44-fc-v782":                 {Major: 6, Minor: 18, Patch: 44},
		"5.15.153.1-microsoft-standard":   {Major: 5, Minor: 15, Patch: 153},
		"5.8":                             {Major: 5, Minor: 8},
		"6.1.0-arch1-1":                   {Major: 6, Minor: 1},
		"6.6.0-march3":                    {Major: 6, Minor: 6}, // "rc" inside a word is none
		"6.12.57+deb13-rt-amd64":          {Major: 6, Minor: 12, Patch: 57},
		"6.1.0_1":                         {Major: 6, Minor: 1},
		"10.200.3000-999999999999999-big": {Major: 10, Minor: 200, Patch: 3000},
	} {
		k := parseKernel(t, release)
		assert.Equal(t, release, k.Release)
		k.Release, k.suffix = "", nil
		assert.Equal(t, want, k, release)
	}
}

func TestParseKernelRefuses(t *testing.T) {
	for _, release := range []string{"", "6", "v6.1", "six.one", "6.", "6.1x", "-6.1", "99999999.1", "6.1.0 "} {
		_, err := ParseKernel(release)
		assert.ErrorContains(t, err, "kernel release", "%q", release)
	}
}

func TestKernelOrder(t *testing.T) {
	ordered := []string{
		"4.18.0-477.27.1.el8_8.x86_64",
		"4.18.0-513.el8.x86_64",
		"5.8",
		"5.10.0-9-cloud-amd64",
		"5.10.0-30-cloud-amd64",
		"6.1.0-9-amd64",
		"6.1.0-50-amd64",
		"6.9-rc3",
		"6.9-rc10",
		"6.9",
		"6.9.0-1-amd64",
		"6.9.1",
		"6.10.0-rc1",
		"6.10",
		"6.18.44-fc-v782",
		"7.0.1",
	}
	for seed := range uint64(20) {
		got := slices.Clone(ordered)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, func(a, b string) int { return parseKernel(t, a).Compare(parseKernel(t, b)) })
		require.Equal(t, ordered, got)
	}
	assert.Zero(t, parseKernel(t, "6.9").Compare(parseKernel(t, "6.9.0")))
}

func TestKernelAtLeast(t *testing.T) {
	for _, c := range []struct {
		release, least string
		want           bool
	}{
		{"5.8.0-63-generic", "5.8", true},
		{"5.8", "5.8", true},
		{"5.10.0", "5.8", true},
		{"5.7.19", "5.8", false},
		{"5.8-rc7", "5.8", false},
		{"6.1.0-50-cloud-amd64", "5.19", true},
	} {
		assert.Equal(t, c.want, parseKernel(t, c.release).AtLeast(parseKernel(t, c.least)), "%s ≥ %s", c.release, c.least)
	}
}

func TestKernelVersion(t *testing.T) {
	for release, want := range map[string]string{
		"6.18.44-fc-v782":      "6.18.44",
		"6.1.0-50-cloud-amd64": "6.1.0",
		"6.9-rc3":              "6.9-rc3",
		"6.9.0-rc3-amd64":      "6.9-rc3",
		"5.8":                  "5.8.0",
	} {
		assert.Equal(t, want, parseKernel(t, release).Version(), release)
	}
}

func FuzzParseKernel(f *testing.F) {
	f.Add("6.1.0-50-cloud-amd64", "4.18.0-513.el8.x86_64")
	f.Add("6.9-rc3", "6.9")
	f.Add("6.9.0-0.rc3.20240415git.fc41", "6.16~rc7")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := ParseKernel(a)
		if err != nil {
			return
		}
		assert.Zero(t, x.Compare(x))
		again, err := ParseKernel(x.Version())
		require.NoError(t, err, "its own version must parse")
		assert.Equal(t, [4]int{x.Major, x.Minor, x.Patch, x.RC}, [4]int{again.Major, again.Minor, again.Patch, again.RC})
		y, err := ParseKernel(b)
		if err != nil {
			return
		}
		assert.Equal(t, x.Compare(y), -y.Compare(x))
	})
}
