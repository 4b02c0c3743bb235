package compat

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Bounds on a table for people. The report as JSON is complete.
const (
	mostRows  = 20 // rows of a table
	widest    = 60 // characters of the inputs
	widestOne = 28 // characters of one value
)

// WriteText writes the report for people: what changed in the Specs, which answers differ,
// and the verdict.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s, then %s\n", r.Capability, r.Old.Version, r.New.Version)
	if len(r.Changes) > 0 {
		b.WriteString("\n")
		r.writeChanges(&b)
	}
	fmt.Fprintf(&b, "\n%d vectors and %d generated requests, %d with a result: %d are answered differently\n",
		r.Cases.Vectors, r.Cases.Generated, r.Cases.Answered, r.Cases.Different)
	if len(r.Differences) > 0 {
		b.WriteString("\n")
		r.writeDifferences(&b)
	}
	verdict := "illegal"
	if r.Legal {
		verdict = "legal"
	}
	fmt.Fprintf(&b, "\n%s: %s\n", verdict, r.Why)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) writeChanges(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "NEEDS\tSPEC\tCHANGE\tOLD\tNEW")
	for _, c := range r.Changes[:min(mostRows, len(r.Changes))] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", c.Needs, c.Where, c.What, cell(c.Old, widestOne), cell(c.New, widestOne))
	}
	t.Flush()
	more(b, len(r.Changes))
}

func (r *Report) writeDifferences(b *bytes.Buffer) {
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "NEEDS\tINPUT\tANSWER\tOLD\tNEW\tULPS")
	for _, d := range r.Differences[:min(mostRows, len(r.Differences))] {
		steps := ""
		if d.Ulps > 0 {
			steps = strconv.FormatUint(d.Ulps, 10)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Needs, cell(d.Inputs, widest), d.Where, cell(d.Old, widestOne), cell(d.New, widestOne), steps)
	}
	t.Flush()
	more(b, len(r.Differences))
}

func more(b *bytes.Buffer, all int) {
	if all > mostRows {
		fmt.Fprintf(b, "and %d more; --format json has all\n", all-mostRows)
	}
}

// cell returns a text as one line of at most so many characters. Control characters become
// spaces, so that a terminal does not obey them.
func cell(text string, most int) string {
	clean := strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
	if runes := []rune(clean); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return clean
}
