package compat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
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
	// Relative is how far two numbers are apart, as a part of the older one; 0 if that is zero.
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

// compare returns how the answers differ for a caller. Where the older engine failed there
// is nothing to keep, so any answer of the newer one is allowed.
func compare(c Case, older, newer *Engine, was, is *answer) []Difference {
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
	d.text("assumptions", strings.Join(was.Assumptions, " "), strings.Join(is.Assumptions, " "))
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
func (d *comparison) record(path string, older, newer []sdk.Field, was, is []value.Value) {
	for i := range older {
		if k := fieldAt(newer, older[i].Name); k >= 0 {
			d.value(path+"."+older[i].Name, &older[i], &newer[k], was[i], is[k])
		}
	}
}

func (d *comparison) value(path string, older, newer *sdk.Field, was, is value.Value) {
	switch {
	case was.Kind() == value.Absent && is.Kind() == value.Absent:
	case was.Kind() == value.Absent:
		d.add(path, "absent", show(newer, is), Minor)
	case was.Kind() != is.Kind():
		d.add(path, show(older, was), show(newer, is), Major)
	case was.Kind() == value.Record:
		d.record(path, older.Fields, newer.Fields, was.Items(), is.Items())
	case was.Kind() == value.List && len(was.Items()) == len(is.Items()):
		for i, item := range was.Items() {
			d.value(fmt.Sprintf("%s.%d", path, i), older.Items, newer.Items, item, is.Items()[i])
		}
	case !was.Equal(is):
		d.add(path, show(older, was), show(newer, is), Major)
		if was.Kind() == value.Number {
			last := &d.found[len(d.found)-1]
			last.Relative, last.Ulps = relative(was.Number(), is.Number()), ulps(was.Number(), is.Number())
		}
	}
}

func show(f *sdk.Field, v value.Value) string {
	if v.Kind() == value.Absent {
		return "absent"
	}
	return string(response.AppendValue(nil, f, v))
}

// relative returns how far b is from a, as a part of a. It is 0 if a is, or if that part is beyond
// binary64.
func relative(a, b float64) float64 {
	part := math.Abs((b - a) / a)
	if math.IsInf(part, 0) || math.IsNaN(part) {
		return 0
	}
	return part
}

// ulps counts the steps from one binary64 to another.
func ulps(a, b float64) uint64 {
	x, y := place(a), place(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// place returns the position of f among all binary64 in ascending order. Zero has the
// position 0, and neighbours differ by 1.
func place(f float64) int64 {
	bits := int64(math.Float64bits(f))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}
