package compat

import (
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Difference is one part of the answers to a request in which the engines differ, and the
// bump that the difference needs.
type Difference struct {
	Case   string `json:"case"`   // name of the request, such as "vector P1"
	Inputs string `json:"inputs"` // as they were sent
	Where  string `json:"where"`  // such as "result.delta"
	Old    string `json:"old"`
	New    string `json:"new"`
	// Relative is the distance of two numbers as a fraction of the older one; 0 if that is
	// zero.
	Relative float64 `json:"relative,omitempty"`
	Ulps     uint64  `json:"ulps,omitempty"` // distance of two numbers in units in the last place; 1 for neighbours
	Needs    Bump    `json:"needs"`
}

// comparison collects the differences of one request.
type comparison struct {
	Case
	found []Difference
}

func (c *comparison) add(where, was, is string, needs Bump) {
	c.found = append(c.found, Difference{Case: c.Name, Inputs: c.Inputs, Where: where, Old: was, New: is, Needs: needs})
}

// differences returns how the answers differ for a caller. If the older engine failed, the
// newer one may give any answer.
func differences(c Case, older, newer *Engine, was, is *answer) []Difference {
	d := comparison{Case: c}
	switch {
	case was.failure != nil:
	case was.outcome != nil && is.outcome != nil:
		d.outcomes(older, newer, was.outcome, is.outcome)
	case was.rejection != nil && is.rejection != nil:
		if was.rejection.Code != is.rejection.Code {
			d.add("code", was.rejection.Code, is.rejection.Code, Major)
		} else if was.rejection.Field != is.rejection.Field {
			d.add("field", was.rejection.Field, is.rejection.Field, Minor)
		}
	case was.rejection != nil && is.outcome != nil:
		d.add("answer", was.kind(), is.kind(), Minor)
	default:
		d.add("answer", was.kind(), is.kind(), Major)
	}
	return d.found
}

func (d *comparison) outcomes(older, newer *Engine, was, is *sdk.Outcome) {
	d.record("result", older.Spec.Outputs, newer.Spec.Outputs, was.Result, is.Result)
	d.record("inputs", older.Spec.Inputs, newer.Spec.Inputs, was.Inputs, is.Inputs)
	d.text("formula", formulaOf(&older.Spec, was), formulaOf(&newer.Spec, is))
	d.text("warnings", codesOf(was), codesOf(is))
	if len(was.Assumptions) != len(is.Assumptions) {
		d.text("assumptions", strings.Join(was.Assumptions, " "), strings.Join(is.Assumptions, " "))
	}
}

// text adds a difference in a text that accompanies the numbers.
func (d *comparison) text(where, was, is string) {
	if was != is {
		d.add(where, was, is, Minor)
	}
}

func formulaOf(s *sdk.Spec, o *sdk.Outcome) string {
	if o.Formula == "" && len(s.Formulas) > 0 {
		return s.Formulas[0].ID
	}
	return o.Formula
}

func codesOf(o *sdk.Outcome) string {
	var codes []string
	for _, w := range o.Warnings {
		codes = append(codes, w.Code)
	}
	slices.Sort(codes)
	return strings.Join(codes, ", ")
}

// record compares the fields that both Specs have. [Specs] reports fields that were
// removed or added, once for all requests.
func (d *comparison) record(part string, older, newer []sdk.Field, was, is value.Values) {
	for _, one := range compare.Match(older, newer).Append(nil, was, is) {
		needs := Major
		if one.Old.Kind() == value.Absent {
			needs = Minor
		}
		d.add(part+"."+one.Path, compare.Show(one.Was, one.Old), compare.Show(one.Is, one.New), needs)
		last := &d.found[len(d.found)-1]
		last.Ulps = one.Ulps
		if !math.IsInf(one.Relative, 0) {
			last.Relative = one.Relative
		}
	}
}
