// SPDX-License-Identifier: Apache-2.0

package results

import "strings"

// PeerPrefix begins the names of analysers that are tools of others. Such a tool watches
// a run of its own, of the same seed, and only ranks threads and shows their functions:
// what it says is graded at these two levels.
const PeerPrefix = "peer:"

// IsPeer reports whether an analyser is a tool of others.
func IsPeer(analyzer string) bool { return strings.HasPrefix(analyzer, PeerPrefix) }
