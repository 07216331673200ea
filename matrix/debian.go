// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// suites are those of Debian's archive that hold kernels, and securitySuites of the one
// beside it with the newest builds of the older ones.
var (
	suites         = []string{"bullseye", "bookworm", "trixie", "trixie-backports"}
	securitySuites = []string{"bullseye-security", "bookworm-security", "trixie-security"}
)

// keyring holds the keys by which the package manager knows Debian's archive.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// apt is the package manager with settings, lists and a cache of its own: it leaves the
// machine's as they are, and needs no privilege.
type apt struct {
	dir string
}

// fetch has the package manager download the newest kernel of a series, verify it against
// the archive's signature, and puts its image into the cache.
func (c Cache) fetch(ctx context.Context, spec Spec) (Kernel, error) {
	kernel, err := c.fetchDebian(ctx, spec)
	if err != nil {
		return Kernel{}, fmt.Errorf("fetch kernel %s: %w", spec, err)
	}
	return kernel, nil
}

func (c Cache) fetchDebian(ctx context.Context, spec Spec) (Kernel, error) {
	for _, program := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			return Kernel{}, fmt.Errorf("%w: %w; kernels are fetched as packages of Debian, elsewhere --kernel takes the path of an image", ErrNoKernel, err)
		}
	}
	if _, err := os.Stat(keyring); err != nil {
		return Kernel{}, fmt.Errorf("%w: %w; install debian-archive-keyring", ErrNoKernel, err)
	}
	a, err := c.apt(ctx)
	if err != nil {
		return Kernel{}, err
	}
	c.tell("looking for kernel %s", spec)
	failed := a.update(ctx)
	if ctx.Err() != nil {
		return Kernel{}, ctx.Err()
	}
	pkg, err := a.newest(ctx, spec)
	if err != nil {
		return Kernel{}, because(failed, err)
	}
	release := releaseOf(pkg)
	if k, err := c.Release(spec, release); err == nil || !errors.Is(err, ErrNoKernel) {
		return k, err
	}
	c.tell("fetching %s", pkg)
	deb, err := a.download(ctx, pkg)
	if err != nil {
		return Kernel{}, because(failed, err)
	}
	defer os.Remove(deb)
	return c.unpack(ctx, deb, release, spec)
}

// because puts before an error what may have led to it, if there is such.
func because(reason, err error) error {
	if reason == nil {
		return err
	}
	return fmt.Errorf("%w; %w", reason, err)
}

// apt makes the settings.
func (c Cache) apt(ctx context.Context) (apt, error) {
	mirror, security := c.Mirror, ""
	if mirror == "" {
		var err error
		if mirror, security, err = configuredMirror(ctx); err != nil {
			return apt{}, err
		}
	}
	dir, err := filepath.Abs(filepath.Join(c.Dir, "apt"))
	if err != nil {
		return apt{}, err
	}
	for _, sub := range []string{"lists/partial", "cache/archives/partial", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return apt{}, err
		}
	}
	var list strings.Builder
	for _, suite := range suites {
		fmt.Fprintf(&list, "deb [signed-by=%s arch=amd64] %s %s main\n", keyring, mirror, suite)
	}
	if security != "" {
		for _, suite := range securitySuites {
			fmt.Fprintf(&list, "deb [signed-by=%s arch=amd64] %s %s main\n", keyring, security, suite)
		}
	}
	return apt{dir}, os.WriteFile(filepath.Join(dir, "sources.list"), []byte(list.String()), 0o644)
}

// configuredMirror finds where this machine has its own packages from.
func configuredMirror(ctx context.Context) (mirror, security string, err error) {
	out, err := output(exec.CommandContext(ctx, "apt-get", "indextargets",
		"--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"))
	if err != nil {
		return "", "", fmt.Errorf("read this machine's package sources: %w", err)
	}
	mirror, security = debianMirrors(out)
	if mirror == "" {
		return "", "", fmt.Errorf("%w: this machine's package sources name no mirror of Debian; --mirror names one, or --kernel takes the path of an image", ErrNoKernel)
	}
	return mirror, security, nil
}

// debianMirrors takes the archive's address and that of its security updates out of lines
// of an address and a suite.
func debianMirrors(lines string) (mirror, security string) {
	for line := range strings.Lines(lines) {
		uri, suite, _ := strings.Cut(strings.TrimSpace(line), " ")
		uri = strings.TrimSuffix(uri, "/")
		switch base := path.Base(uri); {
		case base == "debian" && mirror == "" && !strings.Contains(suite, "-"):
			mirror = uri
		case base == "debian-security" && security == "":
			security = uri
		}
	}
	return mirror, security
}

func (a apt) options() []string {
	return []string{
		"-q",
		"-o", "Dir::Etc::sourcelist=" + filepath.Join(a.dir, "sources.list"), "-o", "Dir::Etc::sourceparts=-",
		"-o", "Dir::State=" + filepath.Join(a.dir, "state"), "-o", "Dir::State::Lists=" + filepath.Join(a.dir, "lists"),
		"-o", "Dir::Cache=" + filepath.Join(a.dir, "cache"),
		"-o", "APT::Sandbox::User=root", // who else may not read a folder of the user's
		"-o", "APT::Architecture=amd64", "-o", "APT::Architectures=amd64",
		"-o", "Acquire::Languages=none", "-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
	}
}

// update reads the lists of packages anew. A suite that is not there does not keep the
// others from being read, so its error matters only if the package is not found.
func (a apt) update(ctx context.Context) error {
	_, err := output(exec.CommandContext(ctx, "apt-get", append(a.options(), "-o", "APT::Update::Error-Mode=any", "update")...))
	return err
}

// newest names the package with the newest kernel of a series.
func (a apt) newest(ctx context.Context, spec Spec) (string, error) {
	names, err := output(exec.CommandContext(ctx, "apt-cache", append(a.options(), "pkgnames", "linux-")...))
	if err != nil {
		return "", err
	}
	pkg, ok := newestPackage(strings.Fields(names), spec)
	if !ok {
		return "", fmt.Errorf("%w: no package of the archive has it", ErrNoKernel)
	}
	return pkg, nil
}

// Kernels are in linux-image; where there is a linux-binary of the same release, that
// has the image, and linux-image only depends on it.
const (
	imagePackage  = "linux-image-"
	binaryPackage = "linux-binary-"
)

func newestPackage(names []string, spec Spec) (string, bool) {
	packages := make(map[string]string)
	var releases []string
	for _, name := range names {
		release := releaseOf(name)
		if release == name || !spec.holds(release) {
			continue
		}
		releases = append(releases, release)
		if !strings.HasPrefix(packages[release], binaryPackage) {
			packages[release] = name
		}
	}
	release, ok := newestRelease(releases)
	return packages[release], ok
}

func releaseOf(pkg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg, imagePackage), binaryPackage)
}

// holds reports whether a release is of the series and flavour. Packages without a third
// number are no kernels but depend on the newest.
func (s Spec) holds(release string) bool {
	form := `^` + regexp.QuoteMeta(s.Series) + `\.[0-9]+([-.+~][0-9A-Za-z.+~]+)*-` + regexp.QuoteMeta(s.Flavor) + `-amd64$`
	ok, err := regexp.MatchString(form, release)
	return err == nil && ok
}

// download returns the path of the package.
func (a apt) download(ctx context.Context, pkg string) (string, error) {
	dir, err := os.MkdirTemp(a.dir, "download-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "apt-get", append(a.options(), "download", pkg)...)
	cmd.Dir = dir
	if _, err := output(cmd); err != nil {
		return "", err
	}
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(debs) != 1 {
		return "", fmt.Errorf("download %s: apt-get left %d packages", pkg, len(debs))
	}
	deb := filepath.Join(a.dir, filepath.Base(debs[0]))
	return deb, os.Rename(debs[0], deb)
}

// output runs a command to its end and returns what it prints. The error has what it
// complained of.
func output(cmd *exec.Cmd) (string, error) {
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if err := cmd.Run(); err != nil {
		if words := complaintIn(complaints.String()); words != "" {
			err = fmt.Errorf("%w: %s", err, words)
		}
		return "", fmt.Errorf("%s: %w", filepath.Base(cmd.Path), err)
	}
	return out.String(), nil
}

// complaintIn is the line that says what went wrong: the last, but the first error of the
// package manager's, which sums up at the end.
func complaintIn(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "E: ") {
			return strings.TrimSpace(line)
		}
	}
	return lastLine(text)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
