package page

import (
	"context"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// reply is what the search box answers itself: the result where the question has all inputs, else
// the calculator with those that it has.
type reply struct {
	Title   string
	Path    string // of the calculator, with the inputs
	Version string
	Asked   string // the amount that is converted
	Given   []given
	Result  *quantity
	Missing []string // labels of inputs that are still needed
}

// given is an amount of the question, and the input that it was taken for.
type given struct{ Label, Amount string }

// reply answers a question that has amounts, or returns nil. Hits are what the search found.
func (p *Pages) reply(ctx context.Context, question string, hits []search.Hit) *reply {
	if c, ok := search.Converted(question); ok {
		return p.convert(ctx, c)
	}
	amounts := search.Amounts(question)
	if len(amounts) == 0 || len(hits) == 0 {
		return nil
	}
	release := hits[0].Entry.Shown()
	s := &formValues{spec: &release.Spec, values: make([]formValue, len(release.Spec.Inputs))}
	for _, a := range amounts {
		if !s.place(a) {
			return nil // an amount that is left out would be missed
		}
	}
	return p.replyWith(ctx, release, s)
}

// convert answers with the calculator that has both units among its choices.
func (p *Pages) convert(ctx context.Context, c search.Conversion) *reply {
	for _, e := range p.service.Catalog().Entries() {
		release := e.Shown()
		if release == nil {
			continue
		}
		spec := &release.Spec
		number := slices.IndexFunc(spec.Inputs, func(f sdk.Field) bool { return f.Type == sdk.TypeNumber })
		from := slices.IndexFunc(spec.Inputs, func(f sdk.Field) bool { return slices.Contains(f.Enum, c.From.ID) })
		to := slices.IndexFunc(spec.Inputs, func(f sdk.Field) bool {
			return slices.Contains(f.Enum, c.To.ID) && f.Name != spec.Inputs[max(from, 0)].Name
		})
		if len(spec.Inputs) != 3 || number < 0 || from < 0 || to < 0 {
			continue
		}
		s := &formValues{spec: spec, values: make([]formValue, len(spec.Inputs))}
		s.set(number, c.Number, "")
		s.set(from, c.From.ID, "")
		s.set(to, c.To.ID, "")
		r := p.replyWith(ctx, release, s)
		r.Asked, r.Given = withUnit(c.Number, c.From.ID), nil
		return r
	}
	return nil
}

func (s *formValues) set(i int, text, unit string) {
	v := &s.values[i]
	v.names, v.texts = []string{s.spec.Inputs[i].Name}, []string{text}
	if unit != "" {
		v.units = typed.Units{"": unit}
	}
}

// place takes an amount for the first input of its quantity that has no value, a required one if
// there is any. It reports false if there is none.
func (s *formValues) place(a search.Amount) bool {
	for _, required := range []bool{true, false} {
		for i := range s.spec.Inputs {
			f := &s.spec.Inputs[i]
			own, ok := units.Lookup(f.Unit)
			if !ok || f.Type != sdk.TypeNumber || f.Required != required || len(s.values[i].names) > 0 {
				continue
			}
			if k := slices.IndexFunc(a.Units, func(u units.Unit) bool { return u.Quantity == own.Quantity }); k >= 0 {
				s.set(i, a.Number, a.Units[k].ID)
				return true
			}
		}
	}
	return false
}

func (p *Pages) replyWith(ctx context.Context, release *calc.Release, s *formValues) *reply {
	r := &reply{Title: release.Spec.Title, Version: release.Version, Path: p.link(calc.PagePath(s.spec)) + "?" + s.query()}
	for i := range s.spec.Inputs {
		f, v := &s.spec.Inputs[i], &s.values[i]
		switch {
		case len(v.names) > 0 && !isChoice(f):
			r.Given = append(r.Given, given{label(f), withUnit(v.text(), v.unit())})
		case len(v.names) > 0:
			r.Given = append(r.Given, given{label(f), formula.FormatUnit(v.text())})
		case f.Required:
			r.Missing = append(r.Missing, label(f))
		}
	}
	if len(r.Missing) > 0 {
		return r
	}
	if a, err := p.calculate(ctx, s, nil); err == nil {
		outcome := a.Success.Outcome
		whole := new(sheet)
		whole.fill(p, newReading(&s.view, a.Success.Spec.At(outcome.Inputs), a.Sent()), outcome.Inputs, outcome.Result)
		if len(whole.Headlines) > 0 {
			r.Result = &whole.Headlines[0]
		}
	}
	return r
}
