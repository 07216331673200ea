// SPDX-License-Identifier: Apache-2.0

package matrix_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/os2026/ebpf-rca/matrix"
	"github.com/os2026/ebpf-rca/matrix/guest"
	"github.com/os2026/ebpf-rca/results"
)

// In a guest this binary is the init and, run by it, the command that plays.
func TestMain(m *testing.M) {
	switch {
	case guest.IsInit():
		fmt.Fprintln(os.Stderr, guest.Init())
		os.Exit(1)
	case len(os.Args) > 1 && os.Args[1] == playArg:
		if err := playInGuest(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// playArg makes this binary play: "play FATE INDEX" meets its fate in that run, "once" or
// "always".
const playArg = "play"

// playInGuest records what is left of the plan without playing anything.
func playInGuest(args []string) error {
	folder, err := results.Open(matrix.ResultsPath)
	if err != nil {
		return err
	}
	link, err := guest.OpenLink()
	if err != nil {
		return err
	}
	defer link.Close()
	env := results.ReadEnv(os.DirFS("/"), results.Build{})
	if err := link.Send(matrix.Message{Env: &env}); err != nil {
		return err
	}
	log, err := guest.OpenKernelLog()
	if err != nil {
		return err
	}
	defer log.Close()
	again := strings.Contains(string(read(matrix.ResultsPath+"/results.jsonl")), "{")
	for _, r := range folder.Records {
		if r.Verdict != results.Lost {
			continue
		}
		if err := link.Send(matrix.Message{Begin: &r.Run}); err != nil {
			return err
		}
		if args[1] == fmt.Sprint(r.Index) && (args[2] == "always" || !again) {
			if err := meet(args[0], log); err != nil {
				return err
			}
		}
		r.Verdict, r.Reason = results.CorrectReject, ""
		if err := link.Append(r); err != nil {
			return err
		}
		if err := link.PutFile(fmt.Sprintf("ledgers/%d.json", r.Index), []byte("{}")); err != nil {
			return err
		}
	}
	return link.Close()
}

func meet(fate string, log *guest.KernelLog) error {
	switch fate {
	case "panic":
		return os.WriteFile("/proc/sysrq-trigger", []byte("c"), 0)
	case "hang":
		select {}
	case "complaint":
		if err := os.WriteFile("/dev/kmsg", []byte("<4>WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x0/0x0\n"), 0); err != nil {
			return err
		}
		if err := log.Check(); err == nil {
			return fmt.Errorf("the kernel's complaint was not seen")
		}
		return log.Check() // it was told once
	case "exit":
		fmt.Fprintln(os.Stderr, "no more of this")
		os.Exit(7)
	}
	return nil
}

func read(name string) []byte {
	data, _ := os.ReadFile(name)
	return data
}
