// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash names the compiled programs of this build, in all forms, by their content.
func Hash() string {
	h := sha256.New()
	h.Write(_WatchBytes)
	h.Write(_Before515Bytes)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
