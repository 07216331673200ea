// SPDX-License-Identifier: Apache-2.0

// Package guest is the inside of a virtual machine that package matrix boots.
//
//  1. [Init] is what the kernel runs first: it mounts what a program expects to find,
//     tells the host that the kernel is up, runs one command, tells how that ended, and
//     ends the machine.
//  2. The command tells the host what it has to tell over a [Link].
//  3. A [KernelLog] says what the kernel complained of meanwhile.
package guest
