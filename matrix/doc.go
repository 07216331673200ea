// SPDX-License-Identifier: Apache-2.0

// Package matrix plays one plan on many kernels, each in a virtual machine of its own.
//
//  1. [ParseSpec] reads which kernel is wanted: a series of the distribution's, or a file.
//  2. [Cache.Kernel] finds the image, or has the package manager fetch and verify it.
//  3. [Payload] packs the program, its workloads and their libraries for the guest.
//  4. [Run] boots each kernel under QEMU, takes the records as they come out of the
//     guest, and boots again where a guest died, until the plan is played or given up.
//
// The plan is written on the host before the first boot, so that what a guest takes with
// it to its grave is a run without a record, which counts as lost. Nothing that QEMU
// returns is believed: a guest has played its plan if its last message says so.
//
// Errors wrap [ErrUntestable] where a kernel was not brought to play anything,
// [ErrNoQEMU] and [ErrNoKernel] where something is to be installed or fetched first.
package matrix

import "errors"

// ErrUntestable says that a kernel did not come far enough to play a run.
var ErrUntestable = errors.New("the kernel cannot be tested")

// ErrNoQEMU says that there is no emulator.
var ErrNoQEMU = errors.New("no QEMU for this machine")

// ErrNoKernel says that there is no image of a kernel.
var ErrNoKernel = errors.New("no image of this kernel")
