// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"6.1":        {Series: "6.1", Flavor: "cloud"},
		"5.10":       {Series: "5.10", Flavor: "cloud"},
		"6.12-rt":    {Series: "6.12", Flavor: "rt"},
		"./bzImage":  {Path: "./bzImage"},
		"/boot/6.12": {Path: "/boot/6.12"},
	} {
		spec, err := ParseSpec(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, spec, text)
		assert.Equal(t, text, spec.String())
	}
	for _, text := range []string{"", "6", "6.1.2", "bzImage", "6.12-cloud", "6.12-rt-rt", "v6.1", " 6.1"} {
		_, err := ParseSpec(text)
		assert.ErrorContains(t, err, "want a series", text)
	}
}

func TestSpecHoldsReleases(t *testing.T) {
	for _, c := range []struct {
		spec, release string
		holds         bool
	}{
		{"6.1", "6.1.0-57-cloud-amd64", true},
		{"6.1", "6.1.0-0.deb11.52-cloud-amd64", true},
		{"6.12", "6.12.117+deb13-cloud-amd64", true},
		{"6.12-rt", "6.12.117+deb13-rt-amd64", true},
		{"6.12", "6.12.117+deb13-rt-amd64", false},
		{"6.1", "6.12.117+deb13-cloud-amd64", false},
		{"6.1", "6.1-cloud-amd64", false},
		{"6.1", "6.1.0-57-cloud-amd64-unsigned", false},
		{"6.1", "6.1.0-57-cloud-amd64-dbg", false},
		{"6.1", "6.1.0-57-cloud-arm64", false},
		{"6.1", "6.1.0-57-amd64", false},
	} {
		spec, err := ParseSpec(c.spec)
		require.NoError(t, err)
		assert.Equal(t, c.holds, spec.holds(c.release), "%s of %s", c.release, c.spec)
	}
}
