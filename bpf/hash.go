// SPDX-License-Identifier: Apache-2.0

package bpf

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash names the compiled programs of this build by their content.
func Hash() string {
	sum := sha256.Sum256(_WatchBytes)
	return hex.EncodeToString(sum[:8])
}
