// SPDX-License-Identifier: Apache-2.0

// Command ebpf-rca names the thread that makes the others of a program wait, and
// measures how often it is right.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/os2026/ebpf-rca/matrix/guest"
)

func main() {
	if guest.IsInit() {
		fmt.Fprintln(os.Stderr, guest.Init()) // it ends the machine
		os.Exit(exitInfra)
	}
	// A reader that has had enough ends a command like any other error, so that what
	// the command has started is ended too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first signal asks for an end; the second is not held back any more.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that ask for an end. A hangup is not one where it is
// ignored, as under nohup.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
