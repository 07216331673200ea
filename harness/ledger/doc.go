// SPDX-License-Identifier: Apache-2.0

// Package ledger reads what the threads of a workload wrote down about
// themselves: when they waited, held and worked, for and on which resource.
//
// The binary form is laid down in scenarios/workload/lib/ledger.h. Read checks
// every count and stamp of it, for a workload may have been killed while it wrote.
// The JSON form of Ledger is the copy that is kept with the results; DecodeJSON checks
// it alike. The package stands on contention alone, so that the report can read it too.
package ledger
