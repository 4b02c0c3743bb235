// Package report writes the results of the scenarios as a table: [Text] for a terminal, [Markdown] for a document.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Row is the result of one scenario.
type Row struct {
	Scenario     string
	LoadBalancer string
	Calls        int
	Failed       int // failures of any kind
	Mixed        int // answers of another version, or with another number
	Figures      []string
	Faults       []string // unexpected results; none if the scenario passed
}

// Passed reports whether the scenario had no faults.
func (r *Row) Passed() bool { return len(r.Faults) == 0 }

var heads = []string{"scenario", "balancer", "calls", "failed", "mixed", "figures", ""}

func (r *Row) cells() []string {
	verdict := "ok"
	if !r.Passed() {
		verdict = "FAILED: " + strings.Join(r.Faults, "; ")
	}
	return []string{r.Scenario, r.LoadBalancer, thousands(r.Calls), thousands(r.Failed), thousands(r.Mixed), strings.Join(r.Figures, "; "), verdict}
}

// Text writes the rows for a terminal.
func Text(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(heads, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r.cells(), "\t"))
	}
	return t.Flush()
}

// Markdown writes the rows for a document.
func Markdown(w io.Writer, rows []Row) error {
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	var b strings.Builder
	b.WriteString(line(heads))
	b.WriteString("|" + strings.Repeat("---|", len(heads)) + "\n")
	for _, r := range rows {
		cells := r.cells()
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		b.WriteString(line(cells))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
