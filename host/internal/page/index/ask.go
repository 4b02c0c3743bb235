package index

import (
	"context"
	"math/big"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// reply is the search box's own answer: the result if the question has all inputs, otherwise a calculator with the
// inputs of the question.
type reply struct {
	Title   string
	Path    string // of the calculator, with the inputs
	Version string
	Asked   string // the amount to convert
	Given   []given
	Result  *show.Quantity
	Missing []string // labels of inputs that are still needed

	Quantity string // of a conversion by the table of units, without a calculator
	Factors  []string
}

// given is an amount of the question and the label of its input.
type given struct{ Label, Amount string }

// reply answers a question that has amounts, or returns nil. hits are the results of the search.
func (p *Pages) reply(ctx context.Context, question string, hits []search.Hit) *reply {
	if c, ok := search.Converted(question); ok {
		return p.convert(ctx, c)
	}
	amounts := search.Amounts(question)
	if len(amounts) == 0 || len(hits) == 0 {
		return nil
	}
	release := hits[0].Entry.Shown()
	s := address.NewValues(&release.Spec)
	for _, a := range amounts {
		if !place(s, a) {
			return nil // an answer must not ignore an amount
		}
	}
	return p.replyWith(ctx, release, s)
}

// convert answers with the calculator that offers both units as choices.
func (p *Pages) convert(ctx context.Context, c search.Conversion) *reply {
	for _, e := range p.Service.Catalog().Entries() {
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
		s := address.NewValues(spec)
		s.Set(number, c.Number, "")
		s.Set(from, c.From.ID, "")
		s.Set(to, c.To.ID, "")
		r := p.replyWith(ctx, release, s)
		r.Asked, r.Given = show.WithUnit(c.Number, c.From.ID), nil
		return r
	}
	return byTable(c)
}

// byTable answers with the factors of the table of units, which are exact.
func byTable(c search.Conversion) *reply {
	exact, ok := new(big.Rat).SetString(c.Number)
	if !ok {
		return nil
	}
	rounded, _ := units.Convert(exact, c.From, c.To).Float64()
	number := wording.FormatNumber(rounded)
	r := &reply{Asked: show.WithUnit(c.Number, c.From.ID), Quantity: c.To.Quantity, Result: &show.Quantity{Number: &number, Unit: formula.FormatUnit(c.To.ID)}}
	for _, u := range []units.Unit{c.From, c.To} {
		if si := units.SI(u.Quantity); u.ID != si.ID && u.Offset == nil {
			r.Factors = append(r.Factors, "1 "+formula.FormatUnit(u.ID)+" is "+u.Definition+" "+formula.FormatUnit(si.ID))
		}
	}
	return r
}

// place assigns an amount to the first input of its quantity that has no value, preferably to a required input. It reports
// false if there is none.
func place(s *address.Values, a search.Amount) bool {
	for _, required := range []bool{true, false} {
		for i := range s.Spec.Inputs {
			f := &s.Spec.Inputs[i]
			own, ok := units.Lookup(f.Unit)
			if !ok || f.Type != sdk.TypeNumber || f.Required != required || s.Values[i].Given() {
				continue
			}
			if k := slices.IndexFunc(a.Units, func(u units.Unit) bool { return u.Quantity == own.Quantity }); k >= 0 {
				s.Set(i, a.Number, a.Units[k].ID)
				return true
			}
		}
	}
	return false
}

func (p *Pages) replyWith(ctx context.Context, release *catalog.Release, s *address.Values) *reply {
	r := &reply{Title: release.Spec.Title, Version: release.Version, Path: p.Link(catalog.PagePath(s.Spec)) + "?" + s.Query()}
	for i := range s.Spec.Inputs {
		f, v := &s.Spec.Inputs[i], &s.Values[i]
		switch {
		case v.Given() && !wording.IsChoice(f):
			r.Given = append(r.Given, given{wording.Label(f), show.WithUnit(v.Text(), v.Unit())})
		case v.Given():
			r.Given = append(r.Given, given{wording.Label(f), formula.FormatUnit(v.Text())})
		case f.Required:
			r.Missing = append(r.Missing, wording.Label(f))
		}
	}
	if len(r.Missing) > 0 {
		return r
	}
	if a, err := s.Calculate(ctx, p.Service, nil); err == nil {
		outcome := a.Success.Outcome
		shown := show.NewReading(&s.View, a.Success.Spec.At(outcome.Inputs), a.Sent())
		if found := show.Headlines(shown.Outputs(outcome.Result), shown.Inputs(outcome.Inputs)); len(found) > 0 {
			r.Result = &found[0]
		}
	}
	return r
}
