// Package proof compares the numbers of a calculation with the Definition of its Spec. The
// Definition is evaluated exactly, by [formula.Text.Evaluate], and independently of the engine.
// [New] makes a [Judge] for a Spec. Call [Judge.Work] once for each result, and then
// [Judge.Differences] to list the outputs that differ.
//
// The rules about formulas use it when a release is published, and a server when it answers. So
// both judge by one tolerance: see [sdk.LeastTolerance] and [sdk.Tolerance].
package proof

import (
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Judge compares results with the Definition of a Spec. It is safe for concurrent use.
type Judge struct {
	*formula.Text
	Outputs []Output
	spec    *sdk.Spec
}

// Output is an output that is a number.
type Output struct {
	Field     *sdk.Field
	Index     int     // in the Spec
	Name      string  // in the Definition
	Tolerance float64 // relative, dimensionless
	Reason    string  // why the tolerance is looser than usual, or why the output is taken
	Taken     bool    // the Definition does not compute the number

	Definition *formula.Definition
}

// New returns the Judge of a Spec with the text of its Definition. The Spec must not change
// after that.
func New(spec *sdk.Spec, text *formula.Text) *Judge {
	d := &Judge{Text: text.With(slices.Clone(text.Definitions)), spec: spec}
	for _, symbol := range spec.Symbols() {
		i := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return symbol.Output != "" && f.Name == symbol.Output })
		defined := text.Definition(symbol.Name)
		if i < 0 || symbol.Kind != formula.NumberField || defined == nil && symbol.Input == "" {
			continue // an output without a definition is reported by rule spec-valid
		}
		out := Output{Field: &spec.Outputs[i], Index: i, Name: symbol.Name, Tolerance: sdk.LeastTolerance}
		switch {
		case defined == nil: // it is an input that is always sent
			d.Definitions = append(d.Definitions, &formula.Definition{Name: symbol.Name, Line: 1})
		case defined.Kind == formula.Taken:
			out.Taken, out.Reason = true, defined.Note
		}
		for _, t := range spec.Tolerances {
			if t.Output == out.Field.Name {
				out.Tolerance, out.Reason = t.Relative, t.Reason
			}
		}
		out.Definition = d.Definition(symbol.Name)
		d.Outputs = append(d.Outputs, out)
	}
	return d
}

// Work evaluates the Definition at the inputs that the engine got. It uses as many digits as
// the comparison of each number of the result needs.
func (d *Judge) Work(sent, result value.Values) *formula.Result {
	numbers := d.spec.FormulaOutputs(result)
	tolerances := map[string]float64{}
	for i := range d.Outputs {
		tolerances[d.Outputs[i].Name] = d.Outputs[i].Tolerance
	}
	return d.Evaluate(d.spec.FormulaInputs(sent), numbers, func(v *formula.Value) bool {
		x, compared := numbers[v.Name]
		return !compared || v.Compare(x, tolerances[v.Name]) != formula.Unproved
	})
}

// Verdict is how the result of an output compares with the Definition.
type Verdict uint8

// The verdicts.
const (
	NotCompared Verdict = iota // both are absent, or the output is taken
	Agrees
	Differs
	Presence // one is absent, the other is not
	Faulty   // the Definition cannot be computed
	Undecided
)

// Compare compares the result of an output with the value of the Definition at the inputs that
// were sent. If a subnormal number was sent, no difference counts.
func (out *Output) Compare(worked *formula.Result, sent, result value.Values) Verdict {
	v := out.exactly(worked.Value(out.Name), result)
	if (v == Differs || v == Presence || v == Faulty) && IsCoarse(sent) {
		return Undecided
	}
	return v
}

func (out *Output) exactly(v *formula.Value, result value.Values) Verdict {
	got, present := Number(result[out.Index])
	switch {
	case out.Taken:
		return NotCompared
	case v.State == formula.Fault:
		return Faulty
	case v.State == formula.Undecided:
		return Undecided
	case present != (v.State == formula.Known):
		return Presence
	case !present:
		return NotCompared
	}
	switch v.Compare(got, out.Tolerance) {
	case formula.Agrees:
		return Agrees
	case formula.Differs:
		return Differs
	}
	return Undecided
}

// Difference is an output with another number than the Definition.
type Difference struct {
	Output *Output
	Gives  *formula.Value // the value of the Definition; [formula.Absent] if it is not a number
}

// Text describes the difference in words: the engine's answer, and the value of the formula.
func (d *Difference) Text(result value.Values) string {
	got, gives := "has no value", "no value"
	if x, ok := Number(result[d.Output.Index]); ok {
		got = "is " + digits(x)
	}
	if x, ok := d.Gives.Number(); ok {
		gives = digits(x)
	}
	return d.Output.Field.Name + " " + got + ", but the published formula gives " + gives + " at these inputs"
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Differences returns the outputs that differ from the value of the Definition at the inputs
// that were sent. An output that the Definition cannot decide does not differ. If the
// Definition cannot be computed at these inputs, there is no difference either.
func (d *Judge) Differences(worked *formula.Result, sent, result value.Values) (list []Difference) {
	for i := range d.Outputs {
		out := &d.Outputs[i]
		if out.Index >= len(result) {
			continue
		}
		if v := out.Compare(worked, sent, result); v == Differs || v == Presence {
			list = append(list, Difference{out, worked.Value(out.Name)})
		}
	}
	return list
}

// IsCoarse reports whether a number is subnormal. A subnormal number has fewer bits than
// others. So an engine cannot derive further inputs from it, such as a half of it, to 1e-12.
func IsCoarse(values []value.Value) bool {
	return slices.ContainsFunc(values, func(v value.Value) bool {
		x, ok := Number(v)
		return ok && x != 0 && math.Abs(x) < minNormal || IsCoarse(v.Items())
	})
}

// minNormal is the smallest number that has all bits of a binary64.
const minNormal = 0x1p-1022

// Number returns a value as a number, if it is one. An exact number is rounded to binary64.
func Number(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.Number:
		return v.Number(), true
	case value.Exact:
		literal, err := strictjson.ParseNumber(v.Text())
		return literal.Float, err == nil
	}
	return 0, false
}
