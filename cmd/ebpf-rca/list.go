// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/os2026/ebpf-rca/contention"
	"github.com/os2026/ebpf-rca/scenarios"
)

// entry is a scenario as list --json and describe --json show it.
type entry struct {
	Name      string            `json:"name"`
	Family    string            `json:"family"`
	Control   bool              `json:"control"`
	Smoke     bool              `json:"smoke"`
	Mechanism string            `json:"mechanism"`
	Kinds     []contention.Kind `json:"kinds"`
	Needs     scenarios.Needs   `json:"needs"`
	Doses     []contention.Dose `json:"doses"`
	// describe only
	Twin   string            `json:"twin,omitempty"`
	Decoys []scenarios.Decoy `json:"decoys,omitempty"`
}

func entryOf(s scenarios.Scenario) entry {
	return entry{
		Name: s.Name, Family: s.Family(), Control: s.Control, Smoke: s.Smoke, Mechanism: s.Mechanism,
		Kinds: listed(s.Kinds), Needs: s.Needs, Doses: listed(s.Doses),
	}
}

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios of the catalogue",
		Example: `  ebpf-rca list
  ebpf-rca list --json | jq -r '.[] | select(.smoke) | .name'`,
		Args: exactly(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return listJSON(cmd.OutOrStdout())
			}
			return listTable(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func listJSON(w io.Writer) error {
	all := []entry{}
	for _, s := range scenarios.Catalogue() {
		all = append(all, entryOf(s))
	}
	return writeJSON(w, all)
}

func listTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range scenarios.Catalogue() {
		mark := ""
		if s.Smoke {
			mark = "smoke"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, mark, s.Mechanism)
	}
	return table.Flush()
}

func newDescribe() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "describe NAME",
		Short:   "Describe one scenario: mechanism, needs, doses, twin and decoys",
		Example: "  ebpf-rca describe mutex-convoy",
		Args:    exactly(1, "scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, ok := scenarios.Find(args[0])
			if !ok {
				return usage(fmt.Errorf("describe %q: there is no such scenario; 'ebpf-rca list' names them", args[0]))
			}
			if asJSON {
				l := entryOf(s)
				l.Twin, l.Decoys = s.Twin, s.Decoys
				return writeJSON(cmd.OutOrStdout(), []entry{l})
			}
			return describe(cmd.OutOrStdout(), s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of one")
	return cmd
}

func describe(w io.Writer, s scenarios.Scenario) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(table, "%s\t%s\n", name, value)
		}
	}
	row("name", s.Name)
	row("mechanism", s.Mechanism)
	kinds := make([]string, len(s.Kinds))
	for i, k := range s.Kinds {
		kinds[i] = string(k)
	}
	row("kinds", strings.Join(kinds, ", "))
	row("needs", needs(s.Needs))
	for i, d := range s.Doses {
		name := "doses"
		if i > 0 {
			name = " "
		}
		row(name, fmt.Sprintf("hold %v, %d contenders", d.Hold, d.Contenders))
	}
	row("right answer", rightAnswer(s))
	row("twin", s.Twin)
	for i, d := range s.Decoys {
		name := "decoys"
		if i > 0 {
			name = " "
		}
		row(name, d.Label+": "+d.Looks)
	}
	return table.Flush()
}

func needs(n scenarios.Needs) string {
	text := fmt.Sprintf("kernel %s, %d CPUs", n.Kernel, n.CPUs)
	if n.Root {
		text += ", root"
	}
	if n.CPUQuota {
		text += ", control groups that limit CPU time"
	}
	return text
}

func rightAnswer(s scenarios.Scenario) string {
	if s.Control {
		return "nobody is accused"
	}
	if s.Unnamed {
		return fmt.Sprintf("%s, of nobody: no thread at fault can be named", s.Class)
	}
	return fmt.Sprintf("%s, %d at fault, in %s", s.Class, s.Culprits, strings.Join(s.Functions, " or "))
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
