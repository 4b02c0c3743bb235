// Package tables judges whether a table of values may be published. [Judge] compares the table
// values with the formulas that the table declares and with other sources. Publish the table only
// if [Report.Passed] is true. [Diff] lists the changes between two versions, and the smallest legal
// version of the newer one. No part of a table is executed.
package tables

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/value"
)

// Report is the result of [Judge].
type Report struct {
	Checked     int          // values that were compared with a formula
	Differences []Difference // between sources, which are not mistakes
	Errs        []error      // mistakes
}

// Passed reports whether the table may be published.
func (r *Report) Passed() bool { return len(r.Errs) == 0 }

// Err joins the mistakes; nil if there are none.
func (r *Report) Err() error { return errors.Join(r.Errs...) }

// Difference is a value for which another source gives another value.
type Difference struct {
	Row, Column    string
	Literal, Other string
	Unit           string
	Source, From   string // ids
}

// String describes the difference in one line.
func (d Difference) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s is %s by %s and %s by %s %s", d.Row, d.Column, d.Literal, d.Source, d.Other, d.From, d.Unit))
}

// maxErrs is the largest number of mistakes in a report.
const maxErrs = 50

// Judge judges a table that was read.
func Judge(t *preset.Table) *Report {
	r := new(Report)
	for i := range t.Rows {
		for k := range t.Columns {
			r.compareSources(t, i, k)
		}
	}
	if t.Definition == "" {
		return r
	}
	text, err := formula.Parse(t.Definition)
	if err != nil {
		r.fail("the definition: %w", err)
		return r
	}
	for _, err := range text.Check(symbolsOf(t, text), nil) {
		r.fail("the definition: %w", err)
	}
	for i := 0; i < len(t.Rows) && len(r.Errs) < maxErrs; i++ {
		r.compareFormulas(t, text, i)
	}
	return r
}

func (r *Report) fail(format string, args ...any) {
	if len(r.Errs) < maxErrs {
		r.Errs = append(r.Errs, fmt.Errorf(format, args...))
	}
}

func (r *Report) compareSources(t *preset.Table, i, k int) {
	cell, c := &t.Rows[i].Cells[k], &t.Columns[k]
	for _, o := range cell.Others {
		if o.Source == cell.Source {
			r.fail("%s: %s has two values of the source %s", t.Rows[i].Label(i), c.Name, o.Source)
		}
		if preset.Rat(o.Literal).Cmp(preset.Rat(cell.Literal)) != 0 {
			r.Differences = append(r.Differences, Difference{t.Rows[i].Label(i), c.Name, cell.Literal, o.Literal, c.Unit, cell.Source, o.Source})
		}
	}
}

// nameOf returns the name of a column in the definition.
func nameOf(c *preset.Column) string {
	if name, ok := formula.NameOf(c.Symbol); ok {
		return name
	}
	return c.Name
}

// symbolsOf returns the columns as fields of the definition. Columns that it defines are
// outputs, and the others are inputs.
func symbolsOf(t *preset.Table, text *formula.Text) []formula.Symbol {
	var list []formula.Symbol
	for i := range t.Columns {
		c := &t.Columns[i]
		_, unit := c.SI("0")
		s := formula.Symbol{Name: nameOf(c), Unit: unit}
		if text.Definition(s.Name) != nil {
			s.Output = c.Name
		} else {
			s.Input = c.Name
		}
		list = append(list, s)
	}
	return list
}

// compareFormulas compares the values of a row with the results of the definition for the
// other values.
func (r *Report) compareFormulas(t *preset.Table, text *formula.Text, i int) {
	var inputs []formula.Input
	for k := range t.Columns {
		c, cell := &t.Columns[k], &t.Rows[i].Cells[k]
		if cell.Literal == "" || text.Definition(nameOf(c)) != nil {
			continue
		}
		si, _ := c.SI(cell.Literal)
		x, _ := si.Float64()
		inputs = append(inputs, formula.Input{Name: nameOf(c), Value: value.NumberOf(x)})
	}
	result := text.Evaluate(inputs, nil, func(v *formula.Value) bool {
		x, ok := v.Number()
		return ok && v.Compare(x, 1e-12) == formula.Agrees
	})
	for k := range t.Columns {
		c, cell := &t.Columns[k], &t.Rows[i].Cells[k]
		v := result.Value(nameOf(c))
		if cell.Literal == "" || v == nil {
			continue
		}
		switch x, ok := v.Number(); {
		case v.State == formula.Absent: // a value that it needs is not in the table
		case !ok:
			r.fail("%s: %s: the definition gives no number: %s", t.Rows[i].Label(i), c.Name, v.Why)
		default:
			r.Checked++
			if off, most := distance(c, cell.Literal, x); off.Cmp(most) > 0 {
				r.fail("%s: %s is %s %s, and its formula gives %s: correct the value, or the values that it follows from",
					t.Rows[i].Label(i), c.Name, cell.Literal, c.Unit, inUnit(c, x))
			}
		}
	}
}

// distance returns the distance of a table value from a number in SI, and the largest distance
// that rounding allows.
func distance(c *preset.Column, literal string, x float64) (off, most *big.Rat) {
	figure, _ := c.SI(literal)
	off = new(big.Rat).Sub(figure, new(big.Rat).SetFloat64(x))
	off.Abs(off)
	zero, _ := c.SI("0")
	step, _ := c.SI(lastDigit(literal, c.Significant))
	most = step.Sub(step, zero)
	most.Quo(most, big.NewRat(2, 1))
	part := big.NewRat(1, 1_000_000_000) // rounding of the arithmetic
	if c.Tolerance != "" {
		part.Add(part, preset.Rat(c.Tolerance))
	}
	return off, most.Add(most, part.Mul(part, new(big.Rat).Abs(figure)))
}

// lastDigit returns the value of the last significant digit of a decimal. It is 0.01 for 7.21,
// and 10 for 23130 with 4 significant digits.
func lastDigit(literal string, significant int) string {
	mantissa, exponent, _ := strings.Cut(literal, "e")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	power := -len(fraction)
	if digits := len(strings.TrimLeft(whole+fraction, "0")); significant > 0 {
		power += max(0, digits-significant)
	}
	step := preset.Rat(fmt.Sprintf("1e%d", power))
	if exponent != "" {
		step.Mul(step, preset.Rat("1e"+exponent))
	}
	return step.FloatString(40)
}

// inUnit writes a number in SI in the unit of a column, with some digits.
func inUnit(c *preset.Column, x float64) string {
	one, _ := c.SI("1")
	zero, _ := c.SI("0")
	y := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), zero)
	f, _ := y.Quo(y, one.Sub(one, zero)).Float64()
	return fmt.Sprintf("%.7g", f)
}

// columnsOf returns the names of the columns.
func columnsOf(s *preset.Spec) []string {
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].Name
	}
	slices.Sort(names)
	return names
}
