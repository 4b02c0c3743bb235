package problem

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Complete adds all required members to an engine's rejection (spec 7.2). These are the
// invalid input, a suggestion, and the list of all invalid inputs. An engine may omit any
// of them. The values of the engine take precedence, with one exception. The engine reports an
// overflow for an output, but the caller has to change an input. Any other error is returned
// unchanged. The rejection itself is copied, because the cache may share it.
func Complete(spec *sdk.Spec, in value.Values, err error) error {
	e, rejected := errors.AsType[*sdk.Error](err)
	if !rejected {
		return err
	}
	c := *e
	if c.Code == sdk.CodeNonFiniteResult && !isInput(spec, c.Field) {
		blameInput(spec, in, &c)
	}
	if c.Field == "" && len(c.Invalid) > 0 {
		c.Field = c.Invalid[0].Name
	}
	if len(c.Invalid) == 0 && isInput(spec, c.Field) {
		c.Invalid = []sdk.InvalidParameter{{Name: c.Field, Constraint: c.Detail}}
	}
	if c.Suggestion == "" {
		c.Suggestion = remedy(spec, &c)
	}
	return &c
}

func isInput(spec *sdk.Spec, name string) bool {
	return slices.ContainsFunc(spec.Inputs, func(f sdk.Field) bool { return f.Name == name })
}

// blameInput finds the input that most probably makes a result overflow binary64: the input
// with the order of magnitude furthest from 1.
func blameInput(spec *sdk.Spec, in value.Values, e *sdk.Error) {
	i, x := extreme(spec, in)
	if i < 0 {
		return // no input is a number
	}
	f := &spec.Inputs[i]
	size := "smaller"
	if math.Abs(x) < 1 {
		size = "larger"
	}
	result := cmp.Or(e.Field, "the result")
	e.Field = f.Name
	e.Invalid = []sdk.InvalidParameter{{Name: f.Name, Constraint: fmt.Sprintf("%s is beyond the range of binary64 numbers", result)}}
	e.Suggestion = fmt.Sprintf("The inputs are too extreme. Give a %s magnitude of %s, or change the other inputs.", size, f.Name)
}

// extreme returns the index and the number of the input that is furthest from 1 by order of magnitude.
// The index is -1 if all numbers are zero or there are none. Numbers that the
// caller chose take precedence over defaults.
func extreme(spec *sdk.Spec, in value.Values) (place int, number float64) {
	place = -1
	chosen, furthest := false, 0.0
	for i := range spec.Inputs {
		if i >= len(in) {
			break
		}
		x, ok := furthestOf(in[i])
		if !ok {
			continue
		}
		standard, err := spec.Inputs[i].DefaultValue()
		own := err != nil || !standard.Equal(in[i])
		if d := distance(x); place < 0 || own && !chosen || own == chosen && d > furthest {
			place, number, chosen, furthest = i, x, own, d
		}
	}
	return place, number
}

// furthestOf returns the number in a value that is furthest from 1. It ignores zeros.
func furthestOf(v value.Value) (x float64, ok bool) {
	switch v.Kind() {
	case value.Number:
		return v.Number(), v.Number() != 0
	case value.Exact:
		x, err := strconv.ParseFloat(v.Text(), 64)
		return x, err == nil && x != 0
	}
	for _, item := range v.Items() {
		if y, is := furthestOf(item); is && (!ok || distance(y) > distance(x)) {
			x, ok = y, true
		}
	}
	return x, ok
}

func distance(x float64) float64 { return math.Abs(math.Log10(math.Abs(x))) }

// remedy returns a suggestion for a rejection without one.
func remedy(spec *sdk.Spec, e *sdk.Error) string {
	i := slices.IndexFunc(spec.Inputs, func(f sdk.Field) bool { return f.Name == e.Field })
	switch {
	case e.Code == sdk.CodeMissingRequiredInput && e.Field != "":
		return "Give " + e.Field + "."
	case i >= 0 && e.Code == sdk.CodeConflictingInputs:
		return "Leave out " + e.Field + ", or the input that it conflicts with."
	case i >= 0 && e.Code == sdk.CodeUndefined:
		return "Give another value of " + e.Field + ", or of another input that is zero."
	case i >= 0:
		return "Give another value of " + e.Field + ": " + spec.Inputs[i].Expects() + "."
	}
	if texts, ok := explanations[e.Code]; ok {
		return texts[1]
	}
	return "Change the inputs."
}
