package terminal

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

// Index writes the catalog as a Markdown document: a table per domain and group.
func Index(w io.Writer, catalog *catalog.Catalog) error {
	out := bufio.NewWriter(w)
	served := 0
	for _, e := range catalog.Entries() {
		if e.Shown() != nil {
			served++
		}
	}
	fmt.Fprintf(out, "# The engine library\n\n%s. Made by `slipstick list --markdown`; do not edit.\n", Count(served, "capability"))
	domain, group := "", ""
	for _, e := range catalog.Entries() {
		r := e.Shown()
		if r == nil {
			continue
		}
		d, g := place(e.ID)
		if d != domain {
			fmt.Fprintf(out, "\n## %s\n", d)
		}
		if d != domain || g != group {
			fmt.Fprintf(out, "\n### %s\n\n| tool | what it computes | capability | tier | versions |\n|---|---|---|---|---|\n", g)
		}
		domain, group = d, g
		fmt.Fprintf(out, "| `%s` | %s | `%s` | %s | %s |\n", e.Tool, cell(r.Spec.Summary), e.ID, r.Verification.Tier, strings.Join(versionsOf(e), ", "))
	}
	return out.Flush()
}

// place returns the domain of a capability, and its group within the domain.
func place(id string) (domain, group string) {
	domain, rest, _ := strings.Cut(id, ".")
	if last := strings.LastIndexByte(rest, '.'); last >= 0 {
		return domain, rest[:last]
	}
	return domain, domain
}

// versionsOf lists the available versions, newest first.
func versionsOf(e *catalog.Entry) []string {
	var out []string
	for _, r := range e.Releases {
		if r.Available() {
			out = append(out, r.Version)
		}
	}
	return out
}

// cell returns a text that cannot end a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}
