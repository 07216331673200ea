// SPDX-License-Identifier: Apache-2.0

//go:build !race

package lines

// raceEnabled says that the race detector slows everything down.
const raceEnabled = false
