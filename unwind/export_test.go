// SPDX-License-Identifier: Apache-2.0

package unwind

// The programs that tests outside of the package run.
var (
	Build     = build
	BuildWith = buildWith
	BuildGo   = buildGo
)
