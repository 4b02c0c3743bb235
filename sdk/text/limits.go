package text

import (
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/pattern"
)

var (
	limitForm   = pattern.New(`^(.*[^ ]) +in +([\[(][^\])]*[\])])( +warns +([A-Za-z0-9_-]+))?: +(.+)$`)
	formulaForm = pattern.New(`^([a-z][a-z0-9_]*): +(.+)$`)
)

// readFormulas reads labels of formulas: - johnson_column_v1: Johnson's parabola.
func (r *reader) readFormulas(lines []Phrase) (list []FormulaLabel) {
	for _, item := range r.prose(lines) {
		at := formulaForm.FindStringSubmatchIndex(item.Text)
		if at == nil {
			r.wrong(item, "write the id of a formula and its label: - johnson_column_v1: Johnson's parabola")
			continue
		}
		list = append(list, FormulaLabel{item.within(at[2], at[3]), item.within(at[4], at[5])})
	}
	return list
}

// readLimits reads limits of validity: - pressure in (,10 bar] warns HIGH_PRESSURE: Real gases differ.
func (r *reader) readLimits(lines []Phrase) (list []Limit) {
	for _, item := range r.prose(lines) {
		at := limitForm.FindStringSubmatchIndex(item.Text)
		if at == nil {
			r.wrong(item, "write a quantity, its range, the warning if there is one, and the reason: - pressure in (,10 bar] warns HIGH_PRESSURE: Real gases differ.")
			continue
		}
		l := Limit{Quantity: item.within(at[2], at[3]), Doc: item.within(at[10], at[11])}
		if at[8] >= 0 {
			l.Code = item.within(at[8], at[9])
		}
		l.Range, l.Unit = r.readLimit(item.within(at[4], at[5]))
		list = append(list, l)
	}
	return list
}

// readLimit reads the range of a limit. Its ends have one unit, which people see.
func (r *reader) readLimit(p Phrase) (of Range, unit Unit) {
	of.Phrase = p
	ends := splitAt(p.within(1, len(p.Text)-1), ',')
	if len(ends) != 2 || ends[0].Text+ends[1].Text == "" {
		r.wrong(p, "a range has two ends, such as (,10 bar] or [0,1]; one of them may be left out")
		return of, unit
	}
	of.MinOpen, of.MaxOpen = p.Text[0] == '(', p.Text[len(p.Text)-1] == ')'
	read := func(end Phrase) *End {
		if end.Text == "" {
			return nil
		}
		v := r.readValue(end)
		if v == nil {
			return nil
		}
		if v.Kind != NumberValue || unit.ID != "" && v.Unit.ID != unit.ID {
			r.wrong(end, "both ends are numbers with one unit")
			return nil
		}
		unit = v.Unit
		v.Unit, v.SI = Unit{ID: unit.ID, Bare: true}, ratOf(v.Digits)
		return &End{Number: v}
	}
	of.Min, of.Max = read(ends[0]), read(ends[1])
	return of, unit
}

// data returns the limit as data of the Spec, without its text.
func (l *Limit) data() sdk.Limit {
	of := sdk.Limit{Quantity: l.Quantity.Text, Unit: l.Unit.ID, Warning: l.Code.Text}
	end := func(e *End) *float64 {
		if e == nil {
			return nil
		}
		x := e.Number.binary64()
		return &x
	}
	of.Min, of.Max = end(l.Range.Min), end(l.Range.Max)
	return of
}
