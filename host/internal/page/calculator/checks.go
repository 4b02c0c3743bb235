package calculator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// check states next to a result whether it keeps a limit. It comes from typed parts of the Spec. One is an output that is
// pass or fail, with the comparison that decides it in the definition. The other is a limit of validity of an output.
type check struct {
	Passed bool
	Word   string // such as Passes
	Text   string // such as "Utilization 0.87, at most 1"; "" if the definition compares something else
	Bar    *bar   // nil if the limit is not a positive maximum
}

// bar draws a number as a share of its limit. The limit is at 100 of 125.
type bar struct{ Width float64 }

const barEnd = 125

// The values of an output that states a check.
const (
	pass = "pass"
	fail = "fail"
)

func isVerdict(f *sdk.Field) bool {
	return f.Type == sdk.TypeString && len(f.Enum) == 2 && slices.Contains(f.Enum, pass) && slices.Contains(f.Enum, fail)
}

// checks returns the checks of a result, whose quantities the sheet has.
func (p *Pages) checks(r *catalog.Release, s *sheet, outputs value.Values) []check {
	spec := &r.Spec
	var list []check
	for i := range spec.Outputs {
		f := &spec.Outputs[i]
		if !isVerdict(f) || i >= len(outputs) || outputs[i].Kind() != value.Text {
			continue
		}
		c := check{Passed: outputs[i].Text() == pass, Word: "Fails"}
		if c.Passed {
			c.Word = "Passes"
		}
		if deciding := p.deciding(r, f); deciding != nil {
			c.compare(s, spec, deciding)
		}
		list = append(list, c)
	}
	for i := range spec.Limits {
		l := &spec.Limits[i]
		at := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == l.Quantity })
		if at < 0 || l.Max == nil || l.Unit != spec.Outputs[at].Unit || at >= len(outputs) || outputs[at].Kind() != value.Number {
			continue
		}
		q := quantityNamed(s.Outputs, l.Quantity)
		if q == nil || q.Number == nil || q.Unit != q.FullUnit {
			continue
		}
		c := check{Passed: outputs[at].Number() <= *l.Max, Word: "Above its limit"}
		if c.Passed {
			c.Word = "Within its limit"
		}
		if !c.Passed && slices.ContainsFunc(s.Warnings, func(w sdk.Warning) bool { return w.Code == l.Warning }) {
			continue // the warning is next to it
		}
		c.Text = shown(q) + ", at most " + amount(wording.FormatNumber(*l.Max), q.Unit)
		c.draw(outputs[at].Number(), *l.Max)
		list = append(list, c)
	}
	return list
}

// deciding returns the comparison that lets a check pass, nil if the definition has another form.
func (p *Pages) deciding(r *catalog.Release, verdict *sdk.Field) *formula.Expr {
	text := p.Service.Text(r)
	if text == nil {
		return nil
	}
	symbols := r.Spec.Symbols()
	at := slices.IndexFunc(symbols, func(s formula.Symbol) bool { return s.Output == verdict.Name })
	if at < 0 {
		return nil
	}
	for _, d := range text.Definitions {
		if d.Name != symbols[at].Name {
			continue
		}
		for _, c := range d.Cases {
			if c.Value != nil && c.Value.Op == formula.Literal && c.Value.Name == pass && c.When != nil {
				return comparison(c.When)
			}
		}
	}
	return nil
}

// comparison returns the comparison in a condition that has conditions without a comparison next to it, nil if there is
// none.
func comparison(x *formula.Expr) *formula.Expr {
	switch x.Op {
	case formula.And:
		for _, part := range x.Args {
			if found := comparison(part); found != nil {
				return found
			}
		}
	case formula.Less, formula.LessEqual, formula.Greater, formula.GreaterEqual:
		return x
	}
	return nil
}

var comparisons = map[formula.Op]string{formula.Less: "less than", formula.LessEqual: "at most", formula.Greater: "more than", formula.GreaterEqual: "at least"}

// compare describes the comparison of a quantity of the sheet with a number, or with another quantity of the sheet.
func (c *check) compare(s *sheet, spec *sdk.Spec, x *formula.Expr) {
	q := s.quantity(spec, x.Args[0])
	if q == nil || q.Number == nil {
		return
	}
	if limit := s.quantity(spec, x.Args[1]); limit != nil && limit.Number != nil {
		c.Text = shown(q) + ", " + comparisons[x.Op] + " " + amount(*limit.Number, limit.Unit)
		return
	}
	if x.Args[1].Op != formula.Number || x.Args[1].Unit != "" || q.FullUnit != "" {
		return
	}
	limit, _ := x.Args[1].Value.Float64()
	c.Text = shown(q) + ", " + comparisons[x.Op] + " " + amount(wording.FormatNumber(limit), "")
	if x.Op == formula.LessEqual || x.Op == formula.Less {
		if number, err := strconv.ParseFloat(q.Full, 64); err == nil {
			c.draw(number, limit)
		}
	}
}

func (c *check) draw(number, limit float64) {
	if limit > 0 && number >= 0 {
		c.Bar = &bar{min(100*number/limit, barEnd)}
	}
}

// quantity returns the quantity of the sheet that the expression names, nil if it is not a name of one.
func (s *sheet) quantity(spec *sdk.Spec, x *formula.Expr) *show.Quantity {
	if x.Op != formula.Name {
		return nil
	}
	for _, symbol := range spec.Symbols() {
		if symbol.Name != x.Name {
			continue
		}
		if symbol.Output != "" {
			return quantityNamed(s.Outputs, symbol.Output)
		}
		return quantityNamed(s.Inputs, symbol.Input)
	}
	return nil
}

func quantityNamed(list []show.Quantity, name string) *show.Quantity {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

func shown(q *show.Quantity) string { return q.Label + " " + amount(*q.Number, q.Unit) }

func amount(n wording.Number, unit string) string { return strings.TrimSpace(n.String() + " " + unit) }
