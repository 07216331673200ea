// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"fmt"
	"regexp"
	"strings"
)

// Spec says which kernel is wanted: a series in a flavour, or an image.
type Spec struct {
	Series string // such as 6.12
	Flavor string // cloud or rt
	Path   string // of an image; Series is then empty
}

// defaultFlavor has all that a guest needs built in, and little else.
const defaultFlavor = "cloud"

var seriesForm = regexp.MustCompile(`^([0-9]+\.[0-9]+)(-rt)?$`)

// ParseSpec reads a series (6.1), one with real-time preemption (6.12-rt), or a path,
// which has a slash in it.
func ParseSpec(text string) (Spec, error) {
	if strings.Contains(text, "/") {
		return Spec{Path: text}, nil
	}
	m := seriesForm.FindStringSubmatch(text)
	if m == nil {
		return Spec{}, fmt.Errorf("kernel %q: want a series as 6.1 or 6.12-rt, or the path of an image as ./bzImage", text)
	}
	spec := Spec{Series: m[1], Flavor: defaultFlavor}
	if m[2] != "" {
		spec.Flavor = "rt"
	}
	return spec, nil
}

// String renders s as it is read.
func (s Spec) String() string {
	switch {
	case s.Path != "":
		return s.Path
	case s.Flavor != defaultFlavor:
		return s.Series + "-" + s.Flavor
	default:
		return s.Series
	}
}
