// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

const (
	// maxDemangled is the longest mangled name that is tried, and the longest name that
	// is shown for it, 1<<maxDemangledPower.
	maxDemangled      = 1 << maxDemangledPower
	maxDemangledPower = 12
	// maxKeptDemangled is how many bytes of names are kept so as not to be made again.
	maxKeptDemangled = 1 << 20
)

// demangler shows names as they stand in a program's source.
type demangler struct {
	known map[string]string
	bytes int
}

// name returns n as a person knows it, with its suffix.
func (d *demangler) name(n name) string { return d.text(n.text) + n.suffix }

func (d *demangler) text(mangled string) string {
	if !isMangled(mangled) {
		return mangled
	}
	if known, ok := d.known[mangled]; ok {
		return known
	}
	text := demangled(mangled)
	if d.bytes += len(mangled) + len(text); d.known == nil || d.bytes > maxKeptDemangled {
		d.known, d.bytes = make(map[string]string), len(mangled)+len(text)
	}
	d.known[mangled] = text
	return text
}

// isMangled spares most names the work. Those of C++ begin with _Z, of Rust with _ZN
// or _R.
func isMangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "___Z")
}

// demangled returns a name of C++ without parameters, one of Rust without its hash,
// and any other as it is.
func demangled(mangled string) (text string) {
	if len(mangled) > maxDemangled {
		return mangled
	}
	// The library panics on names that it does not expect.
	defer func() {
		if p := recover(); p != nil {
			text = mangled
		}
	}()
	text, err := demangle.ToString(mangled, demangle.NoParams, demangle.NoEnclosingParams,
		demangle.MaxLength(maxDemangledPower))
	if err != nil || text == "" {
		return mangled
	}
	return text[:min(len(text), maxDemangled)]
}
