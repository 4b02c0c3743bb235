package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipstick/slipstick/host/internal/study"
)

// Study writes the result of a study for people.
func Study(w io.Writer, r *study.Result) error {
	t := columns(w, 3)
	Printf(t, "%s of %s %s\n\n", strings.ReplaceAll(string(r.Kind), "_", " "), r.Capability, r.Version)
	for i := range r.Budget {
		b := &r.Budget[i]
		Printf(t, "%s\t%s\n", b.Output, quantity(b.Estimate, r.Outputs[i].Unit))
		Printf(t, "  standard uncertainty\t%s\n", quantity(b.Standard, r.Outputs[i].Unit))
		if b.SecondOrder != nil {
			Printf(t, "  with terms of second order\t%s\n", quantity(*b.SecondOrder, r.Outputs[i].Unit))
		}
		Printf(t, "  expanded uncertainty\t%s\t(k = %.6g, %s of the values)\n\n", quantity(b.Expanded, r.Outputs[i].Unit), b.Factor, studyPart(r.Plan))
	}
	for i := range r.Drawn {
		printDrawn(t, r, i)
	}
	if r.Drawn == nil {
		printTable(t, r)
	}
	for _, tallies := range []struct {
		what string
		list []study.Tally
	}{{"rejected", r.Rejected}, {"warnings", r.Warnings}} {
		for _, one := range tallies.list {
			Printf(t, "\n%s\t%d of %d\t%s: %s\n", tallies.what, one.Count, r.Calculations, one.Code, OneLine(one.Detail))
		}
	}
	Printf(t, "\n%s, release %s\n", Count(r.Calculations, "calculation"), r.Release)
	return t.Flush()
}

func printDrawn(w io.Writer, r *study.Result, i int) {
	d, unit := &r.Drawn[i], r.Outputs[i].Unit
	Printf(w, "%s\t%s\n", d.Output, quantity(d.Mean, unit))
	Printf(w, "  standard uncertainty\t%s\n", quantity(d.Standard, unit))
	Printf(w, "  %s symmetric\t%s to %s\n", studyPart(r.Plan), quantity(d.Symmetric.Low, unit), quantity(d.Symmetric.High, unit))
	Printf(w, "  %s shortest\t%s to %s\n", studyPart(r.Plan), quantity(d.Shortest.Low, unit), quantity(d.Shortest.High, unit))
	Printf(w, "  draws\t%d, seed %d\n", d.Draws, *r.Plan.Seed)
	if s := d.Stability; s != nil {
		Printf(w, "  numerical tolerance\t%.6g\treached: mean %.3g, uncertainty %.3g, ends %.3g and %.3g\n", s.Tolerance, s.Mean, s.Standard, s.Low, s.High)
	}
	if f := d.First; f != nil {
		verdict := "validated by the draws"
		if !f.Valid {
			verdict = "not validated by the draws"
		}
		Printf(w, "  law of propagation\t%s ± %.6g\t%s\n", quantity(f.Estimate, unit), f.Interval.High/2-f.Interval.Low/2, verdict)
	}
}

// studyPart returns the probability of coverage for people.
func studyPart(p study.Plan) string {
	x, _ := p.Probability.Float64()
	return fmt.Sprintf("%.6g %%", 100*x)
}

func quantity(x float64, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%.6g %s", x, unit))
}

// printTable writes a table with six digits, or with all digits for a goal. It leaves out empty columns.
func printTable(w io.Writer, r *study.Result) {
	table := r.Table(nil)
	rows := make([][]string, len(table.Rows)+1)
	for k, head := range table.Head {
		column, filled := []string{head}, false
		for _, row := range table.Rows {
			text := row[k].String()
			if row[k].Number != nil && r.Goal == nil {
				text = fmt.Sprintf("%.6g", *row[k].Number)
			}
			column, filled = append(column, text), filled || text != ""
		}
		for i, text := range column {
			if filled {
				rows[i] = append(rows[i], text)
			}
		}
	}
	for _, row := range rows {
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		for k, text := range row {
			Printf(w, "%s", text)
			if k < len(row)-1 {
				Printf(w, "\t")
			}
		}
		Printf(w, "\n")
	}
}
