// SPDX-License-Identifier: Apache-2.0

package results

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Kernel is a kernel release, taken apart so that releases can be ordered.
//
// Semantic versioning is of no use here: it puts 6.1.0-50-cloud-amd64 before
// 6.1.0 and refuses 6.9-rc3.
type Kernel struct {
	// Release is the text it was read from, as uname -r prints it.
	Release             string
	Major, Minor, Patch int
	// RC is the number of the release candidate, 0 for a release.
	RC int
	// suffix is what distributions add, in runs of digits and runs of letters.
	suffix []string
}

var (
	kernelNumber = regexp.MustCompile(`^(\d{1,6})\.(\d{1,6})(?:\.(\d{1,9}))?(.*)$`)
	kernelRC     = regexp.MustCompile(`(?:^|[-.~])rc(\d{1,6})(?:[^0-9A-Za-z]|$)`)
	kernelRun    = regexp.MustCompile(`[0-9]+|[A-Za-z]+`)
)

// ParseKernel reads a release such as 6.1.0-50-cloud-amd64, 4.18.0-513.el8.x86_64,
// 6.9-rc3, or a series such as 5.8.
func ParseKernel(release string) (Kernel, error) {
	m := kernelNumber.FindStringSubmatch(release)
	if m == nil || (m[4] != "" && !strings.ContainsAny(m[4][:1], "-.~+_")) {
		return Kernel{}, fmt.Errorf("kernel release %q: want major.minor[.patch][-suffix]", release)
	}
	k := Kernel{Release: release, Major: number(m[1]), Minor: number(m[2]), Patch: number(m[3])}
	rest := m[4]
	if at := kernelRC.FindStringSubmatchIndex(rest); at != nil {
		k.RC = number(rest[at[2]:at[3]])
		rest = rest[:at[0]] + "-" + rest[at[3]:]
	}
	k.suffix = kernelRun.FindAllString(rest, -1)
	return k, nil
}

// number reads digits whose count the pattern has bounded; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// Compare orders releases by age: a candidate comes before its release, and what
// a distribution added decides last, number by number.
func (k Kernel) Compare(other Kernel) int {
	return cmp.Or(
		cmp.Compare(k.Major, other.Major),
		cmp.Compare(k.Minor, other.Minor),
		cmp.Compare(k.Patch, other.Patch),
		compareCandidates(k.RC, other.RC),
		compareRuns(k.suffix, other.suffix),
	)
}

// AtLeast reports whether k is least or newer.
func (k Kernel) AtLeast(least Kernel) bool { return k.Compare(least) >= 0 }

// Version is the release without what a distribution added: 6.18.44 or 6.9-rc3.
func (k Kernel) Version() string {
	v := fmt.Sprintf("%d.%d", k.Major, k.Minor)
	if k.Patch > 0 || k.RC == 0 {
		v += fmt.Sprintf(".%d", k.Patch)
	}
	if k.RC > 0 {
		v += fmt.Sprintf("-rc%d", k.RC)
	}
	return v
}

func compareCandidates(a, b int) int {
	switch {
	case a == b:
		return 0
	case a == 0:
		return 1
	case b == 0:
		return -1
	default:
		return cmp.Compare(a, b)
	}
}

// compareRuns orders suffixes run by run; the one that ends first is older.
func compareRuns(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if c := compareRun(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareRun orders numbers by value, however long, and before words.
func compareRun(a, b string) int {
	aDigits, bDigits := isDigit(a[0]), isDigit(b[0])
	if aDigits != bDigits {
		if aDigits {
			return -1
		}
		return 1
	}
	if aDigits {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
