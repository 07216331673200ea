// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDebianMirrors(t *testing.T) {
	mirror, security := debianMirrors(`http://mirror.example/debian/ bookworm-updates
http://mirror.example/debian/ bookworm
http://other.example/debian trixie
http://mirror.example/debian-security/ bookworm-security
http://third.example/tools stable
`)
	assert.Equal(t, "http://mirror.example/debian", mirror)
	assert.Equal(t, "http://mirror.example/debian-security", security)

	mirror, security = debianMirrors("http://archive.example/ubuntu noble\n\n")
	assert.Empty(t, mirror)
	assert.Empty(t, security)
}

func TestComplaintIn(t *testing.T) {
	assert.Equal(t, "E: Failed to fetch http://a/InRelease  Could not connect", complaintIn(
		"W: x\nE: Failed to fetch http://a/InRelease  Could not connect\nE: Some index files failed to download.\n"))
	assert.Equal(t, "dpkg-deb: error: it is no archive", complaintIn("warning\ndpkg-deb: error: it is no archive\n"))
	assert.Empty(t, complaintIn(""))
}

func TestNewestPackage(t *testing.T) {
	names := []string{
		"linux-image-6.1-cloud-amd64", "linux-image-cloud-amd64", "linux-headers-6.1.0-99-cloud-amd64",
		"linux-image-6.1.0-9-cloud-amd64", "linux-image-6.1.0-57-cloud-amd64", "linux-image-6.1.0-57-cloud-amd64-dbg",
		"linux-image-6.1.0-58-cloud-amd64-unsigned", "linux-image-6.1.0-0.deb11.90-cloud-amd64",
		"linux-image-7.3.4+deb13-cloud-amd64", "linux-binary-7.3.4+deb13-cloud-amd64", "linux-image-7.3.1+deb13-cloud-amd64",
		"linux-binary-7.3.4+deb13-rt-amd64", "linux-image-7.3.4+deb13-rt-amd64",
	}
	for spec, want := range map[Spec]string{
		{Series: "6.1", Flavor: "cloud"}: "linux-image-6.1.0-57-cloud-amd64",
		{Series: "7.3", Flavor: "cloud"}: "linux-binary-7.3.4+deb13-cloud-amd64",
		{Series: "7.3", Flavor: "rt"}:    "linux-binary-7.3.4+deb13-rt-amd64",
	} {
		pkg, ok := newestPackage(names, spec)
		assert.True(t, ok)
		assert.Equal(t, want, pkg)
	}
	_, ok := newestPackage(names, Spec{Series: "5.10", Flavor: "cloud"})
	assert.False(t, ok)
}
