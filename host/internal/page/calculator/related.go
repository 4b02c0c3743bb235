package calculator

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

// maxUses is the maximum number of links from results to calculators that take them.
const maxUses = 12

// link leads to another calculator.
type link struct{ Title, Path string }

// related returns the calculators of a topic near the topic of the entry.
func (p *Pages) related(e *catalog.Entry) []link {
	var list []link
	for _, other := range p.Search().Related(e) {
		if shown := other.Shown(); shown != nil {
			list = append(list, link{shown.Spec.Title, p.Link(catalog.PagePath(&shown.Spec))})
		}
	}
	return list
}

// use links a result to the calculators that take it as an input.
type use struct {
	Result string // its label
	Links  []link
}

// uses returns the calculators that take a result of the answer: with an input of the same name and quantity.
// The links pass the computed number with all digits.
func (p *Pages) uses(a *calc.Answer) []use {
	spec, outcome := a.Success.Spec, a.Success.Outcome
	var list []use
	count := 0
	for _, i := range byHeadline(spec.Outputs) {
		out := &spec.Outputs[i]
		own, measured := units.Lookup(out.Unit)
		if !measured || i >= len(outcome.Result) || outcome.Result[i].Kind() != value.Number || repeatsInput(spec, out) {
			continue
		}
		one := use{Result: wording.Label(out)}
		for _, e := range p.Service.Catalog().Entries() {
			shown := e.Shown()
			if shown == nil || e.ID == a.Release.Capability || count == maxUses {
				continue
			}
			if at := meant(&shown.Spec, out.Name); at >= 0 && takes(&shown.Spec.Inputs[at], own) {
				s := address.NewValues(&shown.Spec)
				s.Set(at, wording.Shortest(outcome.Result[i].Number()), out.Unit)
				one.Links = append(one.Links, link{shown.Spec.Title, p.Link(catalog.PagePath(&shown.Spec)) + "?" + s.Query()})
				count++
			}
		}
		if len(one.Links) > 0 {
			list = append(list, one)
		}
	}
	return list
}

// meant returns the index of the input with the name of an output, -1 if there is none. For the outputs
// second_moment_x and second_moment_y of a section it finds the input second_moment of a beam.
func meant(spec *sdk.Spec, name string) int {
	if at := spec.Input(name); at >= 0 {
		return at
	}
	if n := len(name) - 2; n > 0 && name[n] == '_' {
		return spec.Input(name[:n])
	}
	return -1
}

// byHeadline returns the indices of the outputs, headlines first.
func byHeadline(outputs []sdk.Field) []int {
	order := make([]int, len(outputs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		switch {
		case outputs[i].Headline && !outputs[k].Headline:
			return -1
		case outputs[k].Headline && !outputs[i].Headline:
			return 1
		}
		return 0
	})
	return order
}

// repeatsInput reports whether an output is an input of the same calculation.
func repeatsInput(spec *sdk.Spec, out *sdk.Field) bool { return spec.Input(out.Name) >= 0 }

// takes reports whether an input takes numbers of the unit's quantity.
func takes(f *sdk.Field, own units.Unit) bool {
	u, ok := units.Lookup(f.Unit)
	return ok && f.Type == sdk.TypeNumber && u.Quantity == own.Quantity
}
