// SPDX-License-Identifier: Apache-2.0

// Package baseline holds trivial analysers: what a guess, a coin or the usual tools
// would say of a trace. A real analysis is worth what it adds to the best of them.
//
// Each measures every thread in one way and accuses the first few, whether or not
// there is a reason to. Waiting is counted as package rca counts it: sleeping by
// choice (timer, signal, poll) is no waiting, and blame, external and open time add
// up to the waiting.
package baseline
